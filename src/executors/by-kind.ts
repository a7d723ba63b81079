import type { Executor } from "../ports/executor.ts";

/** Hands each state to the executor for its kind. */
export function executorByKind(of: {
  readonly prompt: Executor;
  readonly script: Executor;
}): Executor {
  return {
    execute: (step, cancellation, listener, recorder) =>
      of[step.file.kind].execute(step, cancellation, listener, recorder),
  };
}
