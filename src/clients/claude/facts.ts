import { NO_TOKENS } from "../../machine/model/spend.ts";
import type { CallEnding } from "../common/ending.ts";
import type { ReplyFacts } from "../common/reply.ts";
import type { Spend } from "./spend-meter.ts";

/** The end of a turn, from its `result` event. */
export interface Verdict {
  /** `success` also for errors of the API: {@link Verdict.isError} decides. */
  readonly subtype: string;
  readonly isError: boolean;
  /** `result`: the answer, or the error message. */
  readonly text: string;
  readonly errors: readonly string[];
  /** HTTP status; null for network errors and without a request. */
  readonly apiStatus: number | null;
  readonly terminalReason: string | null;
  readonly stopReason: string | null;
}

export interface UsageLimit {
  /** `five_hour`, `seven_day` …; null if unknown. */
  readonly type: string | null;
  /** Epoch ms; null when unknown. */
  readonly resetsAt: number | null;
}

export interface McpServer {
  readonly name: string;
  /** In the words of the client; `not configured` if it does not report the server. */
  readonly status: string;
}

/** The facts of a stream that decide the result of a call. */
export interface CallFacts extends ReplyFacts {
  /** From the first `init`; null when there was none. */
  readonly version: string | null;
  readonly model: string | null;
  /** The last one before raymond signaled the client. */
  readonly verdict: Verdict | null;
  /** Total usage, also after a signal. */
  readonly spend: Spend;
  readonly limit: UsageLimit | null;
  /** Why a hook stopped the turn; absent: none did. */
  readonly stoppedByHook?: string;
  /** The first required MCP server that was not connected; absent: all were. */
  readonly unconnected?: McpServer;
  /** MCP servers that are not available, with their status. */
  readonly missingServers?: readonly string[];
  /** The client's last error code, e.g. `authentication_failed`. */
  readonly error: string | null;
}

export type ClaudeEnding = CallEnding<CallFacts>;

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
