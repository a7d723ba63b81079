import type { StepOutcome } from "../core/machine/outcome.ts";
import type { Step } from "../core/machine/step.ts";
import type { Cancellation } from "./cancellation.ts";
import type { StepListener, StepRecorder } from "./step-events.ts";

/** Runs one state once. Contract: rejects only for bugs; every expected failure is an outcome. */
export interface Executor {
  execute(
    step: Step,
    cancellation: Cancellation,
    listener: StepListener,
    recorder: StepRecorder,
  ): Promise<StepOutcome>;
}
