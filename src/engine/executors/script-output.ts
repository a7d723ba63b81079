import { OutputScanner } from "../../language/protocol/scan/scan.ts";
import type { Step } from "../../machine/decide/step.ts";
import { failedAttempt, type StepOutcome } from "../../machine/model/outcome.ts";
import { NO_SPEND } from "../../machine/model/spend.ts";
import { Tail } from "../../process/children/tail.ts";
import type { ProcessEnd } from "../ports/process.ts";
import type { StepListener, StepRecorder } from "../ports/step-events.ts";
import { OutputReporter } from "./output-reporter.ts";
import { describeEnd, scriptFailure, scriptTextHint, wasKilled } from "./script-failure.ts";

/** Limits of standard error in a failure message. */
const STDERR_BYTES = 2 * 1024;
const STDERR_LINES = 10;

/** The output of a running script, in bounded memory. */
export class ScriptOutput {
  readonly #step: Step;
  readonly #recorder: StepRecorder;
  readonly #scanner = new OutputScanner();
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #reporters: { readonly [Stream in "stdout" | "stderr"]: OutputReporter };
  readonly #errors = new Tail(STDERR_BYTES);
  /** Both streams of a gate; null for other scripts. */
  readonly #both: Tail | null;

  constructor(step: Step, listener: Pick<StepListener, "output">, recorder: StepRecorder) {
    this.#step = step;
    this.#recorder = recorder;
    this.#both = step.gated === null ? null : new Tail(GATE_BYTES);
    const reporter = (stream: "stdout" | "stderr") =>
      new OutputReporter((text) => {
        listener.output(stream, text);
      });
    this.#reporters = { stdout: reporter("stdout"), stderr: reporter("stderr") };
  }

  stdout(chunk: Buffer): void {
    this.#recorder.stdout(chunk);
    const text = this.#add("stdout", chunk);
    if (this.#both === null) this.#scanner.push(text);
  }

  stderr(chunk: Buffer): void {
    this.#recorder.stderr(chunk);
    this.#errors.push(chunk);
    this.#add("stderr", chunk);
  }

  #add(stream: "stdout" | "stderr", chunk: Buffer): string {
    this.#both?.push(chunk);
    const text = this.#decoders[stream].decode(chunk, { stream: true });
    this.#reporters[stream].push(text);
    return text;
  }

  /** `limitMs`: the timeout, if that was exceeded. */
  async outcome(end: ProcessEnd, limitMs: number | null): Promise<StepOutcome> {
    const step = this.#step;
    if (this.#both !== null && !wasKilled(end) && (!end.endedByRaymond || limitMs !== null)) {
      return gateOutcome(step, end, limitMs, this.#both.toString());
    }
    if (end.endedByRaymond || end.exitCode !== 0) {
      const why = scriptFailure(step.file.name, end, limitMs, this.errors);
      const hint = end.endedByRaymond ? null : await scriptTextHint(step.path);
      return failedAttempt({ ...why, hint: hint ?? why.hint }, measured(end));
    }
    this.#scanner.push(this.#decoders.stdout.decode());
    return {
      kind: "output",
      reading: this.#scanner.end(),
      spoke: true,
      session: null,
      capped: false,
      denials: [],
      spend: NO_SPEND,
      ...measured(end),
    };
  }

  /** The last lines of standard error. */
  get errors(): readonly string[] {
    return this.#errors.lines(STDERR_LINES);
  }

  /** Reports the rest of both streams. */
  end(): void {
    this.#reporters.stdout.end();
    this.#reporters.stderr.end();
  }
}

/** Limit of a gate's output for the model, in bytes. */
const GATE_BYTES = 16 * 1024;

/** The outcome of a gate. Tags in its output are plain text. */
function gateOutcome(
  step: Step,
  end: ProcessEnd,
  limitMs: number | null,
  output: string,
): StepOutcome {
  const passed = !end.endedByRaymond && end.exitCode === 0;
  const problem = passed ? null : `The gate ${step.file.name} ${describeEnd(end, limitMs)}.`;
  // The first character may have been cut in two.
  const whole = output.replace(/^\uFFFD+/, "");
  return {
    kind: "checked",
    problem,
    said: passed ? "" : whole,
    session: null,
    spend: NO_SPEND,
    ...measured(end),
  };
}

export function measured({ durationMs, exitCode }: ProcessEnd) {
  return { durationMs, exitCode };
}
