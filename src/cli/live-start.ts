import type { Facts } from "../run/driving.ts";
import type { LiveRun, LiveRunOptions } from "./live/live-run.ts";
import type { RunOptions } from "./parse/run-options.ts";
import type { Shell } from "./shell.ts";

type Watched = Pick<Facts, "program" | "clock" | "answer" | "retryNow" | "stopAfterSteps">;

export type LiveStart = (facts: Watched, more: Pick<LiveRunOptions, "asks" | "leave">) => LiveRun;

/** Null if a run is shown as plain lines. Otherwise loads the code of the live view. */
export async function liveStart(
  { json, quiet, verbose, plain }: Pick<RunOptions, "json" | "quiet" | "verbose" | "plain">,
  shell: Shell,
): Promise<LiveStart | null> {
  // Events on the same terminal would break the live view.
  const isPlain = quiet === true || plain === true || (json === true && shell.outColumns !== null);
  const terminal = isPlain || shell.terminal === null ? null : await shell.terminal();
  if (terminal === null) return null;
  const { liveRun } = await import("./live/live-run.ts");
  return ({ program, clock, answer, retryNow, stopAfterSteps }, more) =>
    liveRun({
      ...{ terminal, clock, program, answer, retryNow, stopAfterSteps, ...more },
      style: shell.style,
      verbose: verbose === true,
    });
}
