import type { SpendReport } from "../../machine/model/spend.ts";
import type { CallEnding } from "../common/ending.ts";
import type { ReplyFacts } from "../common/reply.ts";

export type Verdict =
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly message: string; readonly cause: Cause };

/** The cause that the client has stored with an error. `code`: such as `usage_limit_exceeded`; null: unknown. */
export interface Cause {
  readonly code: string | null;
  /** HTTP status; null: none. */
  readonly status: number | null;
}

export const NO_CAUSE: Cause = { code: null, status: null };

/** The facts of the output and of the conversation that decide the result of a call. */
export interface CallFacts extends ReplyFacts {
  /** The last one before raymond signaled the client. */
  readonly verdict: Verdict | null;
  readonly spend: SpendReport;
  /** The latest end of the usage windows that are used up, epoch ms; null: none, or unknown. */
  readonly resetsAt: number | null;
}

export type CodexEnding = CallEnding<CallFacts>;
