import type { Facts } from "../runs/driving.ts";
import type { LiveRun, LiveRunOptions } from "./live/live-run.ts";
import type { RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";

type Watched = Pick<Facts, "program" | "clock" | "answer" | "retryNow" | "stopAfterSteps">;

/** Begins to draw a run. */
export type LiveStart = (facts: Watched, more: Pick<LiveRunOptions, "asks" | "leave">) => LiveRun;

/** Null where a run is told by plain lines; only else the code that draws is loaded. */
export async function liveStart(
  { json, quiet, verbose, plain }: Pick<RunOptions, "json" | "quiet" | "verbose" | "plain">,
  shell: Shell,
): Promise<LiveStart | null> {
  // Events on the terminal itself would stand in the middle of what is drawn.
  const told = quiet === true || plain === true || (json === true && shell.outColumns !== null);
  const terminal = told || shell.terminal === null ? null : await shell.terminal();
  if (terminal === null) return null;
  const { liveRun } = await import("./live/live-run.ts");
  return ({ program, clock, answer, retryNow, stopAfterSteps }, more) =>
    liveRun({
      ...{ terminal, clock, program, answer, retryNow, stopAfterSteps, ...more },
      style: shell.style,
      verbose: verbose === true,
    });
}

/** The variables that decide whether a terminal is drawn on. */
export interface LiveEnvironment {
  readonly CI?: string | undefined;
  readonly TERM?: string | undefined;
}

/** Whether a terminal is one for people who look at it (docs/live.md, "Where there are plain lines"). */
export function isForLooking({ CI, TERM }: LiveEnvironment): boolean {
  const isCi = CI !== undefined && CI !== "" && CI !== "0" && CI.toLowerCase() !== "false";
  return !isCi && TERM !== "dumb";
}
