import type { SpendReport } from "../core/machine/spend.ts";

/** What a step tells while it runs. Calls must not throw and must return at once. */
export interface StepListener {
  /**
   * The client took the prompt (docs/claude.md, "What is read"): from here on
   * the step is continued and not repeated. `conversationBytes`: size of its
   * conversation before the call, where that is known.
   */
  accepted(conversationBytes?: number | null): void;
  /** What the attempt has used so far: told at every answer of the model, for it may be killed. */
  spending(spend: SpendReport): void;
  /** A message of the model, whole. */
  message(text: string): void;
  /** What a script has written, as whole lines without the last line end. */
  output(stream: "stdout" | "stderr", text: string): void;
  tool(name: string, argument: string): void;
  notice(text: string): void;
  warning(text: string): void;
}

/** Hears nothing. */
export const NO_LISTENER: StepListener = {
  accepted: () => undefined,
  spending: () => undefined,
  message: () => undefined,
  output: () => undefined,
  tool: () => undefined,
  notice: () => undefined,
  warning: () => undefined,
};

/** Where the raw material of a step goes: the debug files. Same contract: no throwing, no waiting. */
export interface StepRecorder {
  prompt(text: string): void;
  /** One line of the client's stream, without its line end. */
  line(line: string): void;
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  /** Facts for `.meta.json`; later facts are added to earlier ones. */
  meta(facts: Readonly<Record<string, unknown>>): void;
}
