import type { SessionId } from "../../core/machine/agent.ts";
import type { Denial } from "../../core/machine/outcome.ts";
import { NO_TOKENS } from "../../core/machine/spend.ts";
import type { Spend } from "./spend-meter.ts";

/** A `result` event, as far as it tells how a turn ended. */
export interface Verdict {
  /** `success` also for errors of the API: {@link Verdict.isError} decides. */
  readonly subtype: string;
  readonly isError: boolean;
  /** `result`, which is the words of the error where there is one. */
  readonly text: string;
  readonly errors: readonly string[];
  /** HTTP status; null for network errors, and where the API was not asked. */
  readonly apiStatus: number | null;
  readonly terminalReason: string | null;
  readonly stopReason: string | null;
}

/** A usage limit that the client has met. */
export interface UsageLimit {
  /** `five_hour`, `seven_day` …; null where it was not named. */
  readonly type: string | null;
  /** Epoch ms; null when unknown. */
  readonly resetsAt: number | null;
}

/** What a stream has said, as far as a call is judged by it. */
export interface CallFacts {
  /** From the first `init`; null when there was none. */
  readonly version: string | null;
  readonly model: string | null;
  readonly session: SessionId | null;
  /** The client has taken the prompt (docs/claude.md, "What is read"). */
  readonly accepted: boolean;
  /** The final message; null without any assistant text. */
  readonly text: string | null;
  /** The last one that came before raymond signalled the client. */
  readonly verdict: Verdict | null;
  /** All that was used, whenever it was told. */
  readonly spend: Spend;
  readonly denials: readonly Denial[];
  readonly limit: UsageLimit | null;
  /** The client's own word for its last error, such as `authentication_failed`. */
  readonly error: string | null;
}

export const NO_FACTS: CallFacts = {
  version: null,
  model: null,
  session: null,
  accepted: false,
  text: null,
  verdict: null,
  spend: {
    costMicroUsd: null,
    conversationMicroUsd: null,
    tokens: NO_TOKENS,
    reported: [],
    unreported: [],
    context: null,
  },
  denials: [],
  limit: null,
  error: null,
};
