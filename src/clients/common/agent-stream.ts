/** Current activity of a client, for the watchdog. `subagent`: one runs in the background. */
export type Activity = "thinking" | "tool" | "subagent" | "settled";

/** Reads the output of one call. */
export interface AgentStream {
  readonly activity: Activity;
  /** An answer of the model is in progress. */
  readonly answering: boolean;
  /** The model has ended its turn: the result follows. */
  readonly closing: boolean;
  push(chunk: Buffer): void;
  /** End of output. Also reads a last line without a line end. */
  end(): void;
  /** Call before raymond signals the client: later results are ignored. */
  seal(): void;
}
