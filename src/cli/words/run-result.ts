import type { RunState } from "../../machine/run-state.ts";
import type { StreamOutput } from "../output.ts";

/** Prints what a run that has ended has to give. */
export function printResult(
  { status, settings, results }: RunState,
  out: Pick<StreamOutput, "write">,
): void {
  const result = results["main"];
  // With --keep-going main ends as it would have, whichever worker has failed.
  const ended = status === "completed" || (status === "failed" && settings.keepGoing);
  if (ended && result !== undefined) {
    out.write(result === "" || result.endsWith("\n") ? result : `${result}\n`);
  }
}
