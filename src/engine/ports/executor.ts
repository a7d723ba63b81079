import type { Step } from "../../machine/decide/step.ts";
import type { StepOutcome } from "../../machine/model/outcome.ts";
import type { Cancellation } from "./cancellation.ts";
import type { StepListener, StepRecorder } from "./step-events.ts";

/**
 * Runs one state once. Contract (`tests/contracts/executor.ts`): rejects only for bugs; every
 * expected failure is an outcome; ends soon after a cancellation; concurrent steps are independent.
 */
export interface Executor {
  execute(
    step: Step,
    cancellation: Cancellation,
    listener: StepListener,
    recorder: StepRecorder,
  ): Promise<StepOutcome>;
}
