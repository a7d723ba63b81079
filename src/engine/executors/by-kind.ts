import type { Executor } from "../ports/executor.ts";

export function executorByKind(of: {
  readonly prompt: Executor;
  readonly script: Executor;
}): Executor {
  return {
    execute: (step, cancellation, listener, recorder) =>
      of[step.file.kind].execute(step, cancellation, listener, recorder),
  };
}
