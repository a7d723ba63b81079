import type { SpendReport } from "../../machine/model/spend.ts";

/** Receives the progress of a step. Calls must not throw and must return at once. */
export interface StepListener {
  /**
   * The client accepted the prompt (docs/claude.md, "Output"). From now on the step is
   * continued, not repeated. `conversationBytes`: size of the conversation before the call, if
   * known.
   */
  accepted(conversationBytes?: number | null): void;
  /**
   * The usage of the attempt so far. Called at every response of the model, because the attempt may
   * be killed.
   */
  spending(spend: SpendReport): void;
  message(text: string): void;
  /** Script output in whole lines, without the last line ending. */
  output(stream: "stdout" | "stderr", text: string): void;
  tool(name: string, argument: string): void;
  notice(text: string, how?: { readonly minor: boolean }): void;
  warning(text: string): void;
}

export const NO_LISTENER: StepListener = {
  accepted: () => undefined,
  spending: () => undefined,
  message: () => undefined,
  output: () => undefined,
  tool: () => undefined,
  notice: () => undefined,
  warning: () => undefined,
};

/** Writes the debug files of a step. Calls must not throw and must return at once. */
export interface StepRecorder {
  prompt(text: string): void;
  /** One line of the client's stream, without its line ending. */
  line(line: string): void;
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  /** Facts for `.meta.json`. Later facts are merged into earlier ones. */
  meta(facts: Readonly<Record<string, unknown>>): void;
}
