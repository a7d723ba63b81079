import type { StepOutcome } from "../core/machine/outcome.ts";
import type { SpendReport } from "../core/machine/spend.ts";
import type { Step } from "../core/machine/step.ts";

/**
 * How a step in flight is asked to end: after the answer that is under way, by
 * a first signal, or at once.
 */
export interface Cancellation {
  /**
   * The money is used up: a prompt step ends after the answer that is under way,
   * and what it has said until then is judged. Scripts cost nothing, and go on.
   */
  readonly budget: AbortSignal;
  /** Interrupt what runs: SIGINT, 2 s, SIGTERM, 2 s, SIGKILL (docs/claude.md, "How long raymond waits"). */
  readonly interrupt: AbortSignal;
  /** Kill what runs, now. */
  readonly kill: AbortSignal;
}

/** What a step tells while it runs. Calls must not throw and must return at once. */
export interface StepListener {
  /**
   * The client took the prompt (docs/claude.md, "What is read"): from here on
   * the step is continued and not repeated.
   */
  accepted(): void;
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

/** Runs one state once. Contract: rejects only for bugs; every expected failure is an outcome. */
export interface Executor {
  execute(
    step: Step,
    cancellation: Cancellation,
    listener: StepListener,
    recorder: StepRecorder,
  ): Promise<StepOutcome>;
}
