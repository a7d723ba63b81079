import { formatDuration } from "../../language/basics/duration.ts";
import { type Failure, failure } from "../../machine/model/failure.ts";
import { type CallEnding, permanent } from "./ending.ts";

/** The failure of a call that raymond terminated; null if it did not. `program`: the client's command. */
export function ownFailure(
  { call, cancelled, expired }: Pick<CallEnding<unknown>, "call" | "cancelled" | "expired">,
  program: string,
): Failure | null {
  if (cancelled !== null) return failure("cancelled", "The call was interrupted.");
  if (expired === null) return null;
  switch (expired.kind) {
    case "deadline":
      return permanent(
        `${call.state} exceeded its timeout of ${formatDuration(expired.limitMs)} and was stopped after ${formatDuration(expired.elapsedMs)}.`,
        "Increase the timeout in its front matter, or split the state.",
      );
    case "silence":
      return hung(expired.afterMs, expired.duringTool, program);
  }
}

function hung(afterMs: number, duringTool: boolean, program: string): Failure {
  const duration = formatDuration(afterMs);
  return duringTool
    ? failure(
        "crash",
        `A tool call took longer than ${duration}, so ${program} was terminated.`,
        "If tools need more time, increase --tool-timeout.",
      )
    : failure(
        "crash",
        `${program} printed nothing for ${duration} and was terminated.`,
        "If the model needs more time, increase --timeout.",
      );
}
