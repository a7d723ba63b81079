import type { StepListener } from "../../../engine/ports/step-events.ts";

/** Receives what an {@link AgentStream} reads. */
export interface StreamSink extends Omit<StepListener, "output" | "warning"> {
  /** A line for the debug files, without those that repeat others. */
  line(line: string): void;
  /** Called after each event that is a sign of life: not between a result and the next turn. */
  alive(): void;
}

/** Current activity of a client, for the watchdog. `background`: it waits for its background work. */
export type Activity = "thinking" | "tool" | "background" | "settled";

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
  /** Call before raymond signals the client, also at the end of the budget. */
  signaled?(): void;
}

/** Maximum recorded denials of a call: a model may retry a thousand times. */
export const MAX_DENIALS = 50;
