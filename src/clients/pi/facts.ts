import { NO_TOKENS } from "../../machine/model/spend.ts";
import type { CallEnding } from "../common/ending.ts";
import type { ReplyFacts } from "../common/reply.ts";
import type { Spend } from "./spend-meter.ts";

/** The end of the last answer of the model. */
export interface Verdict {
  /** `stop`, `length`, `toolUse`, `error` or `aborted`. */
  readonly stopReason: string;
  /** Of the client or the API, never of the model; null without an error. */
  readonly error: string | null;
}

/** The facts of a stream that decide the result of a call. */
export interface CallFacts extends ReplyFacts {
  /** `PROVIDER/MODEL` of the last answer. */
  readonly model: string | null;
  /** The last one before raymond signaled the client. */
  readonly verdict: Verdict | null;
  /** The client has reported its end before raymond signaled it. */
  readonly settled: boolean;
  /** Total usage, also after a signal. */
  readonly spend: Spend;
}

export type PiEnding = CallEnding<CallFacts>;

export const NO_FACTS: CallFacts = {
  session: null,
  model: null,
  accepted: false,
  text: null,
  verdict: null,
  settled: false,
  spend: {
    costMicroUsd: null,
    tokens: NO_TOKENS,
    reported: [],
    unreported: [],
    context: null,
  },
  denials: [],
};
