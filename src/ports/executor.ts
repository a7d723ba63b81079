import type { StepOutcome } from "../core/machine/outcome.ts";
import type { Step } from "../core/machine/step.ts";
import type { Cancellation } from "./cancellation.ts";
import type { StepListener, StepRecorder } from "./step-events.ts";

/**
 * Runs one state once. Contract (`tests/contracts/executor.ts`): rejects only
 * for bugs; every expected failure is an outcome; it ends soon after a
 * cancellation; steps at the same time know nothing of each other.
 */
export interface Executor {
  execute(
    step: Step,
    cancellation: Cancellation,
    listener: StepListener,
    recorder: StepRecorder,
  ): Promise<StepOutcome>;
}
