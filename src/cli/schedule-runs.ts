import type { SubmitOptions } from "../fleet/submit.ts";
import { localMoment, zoneName } from "../observers/local-time.ts";
import { FlagConflictError } from "./errors.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { openFleetOf } from "./in-fleet.ts";
import { type RunOptions, refuseMisplaced } from "./run-options.ts";
import type { Shell } from "./shell.ts";

/** The flags of `raymond submit` that make a schedule, and those that make none. */
interface ScheduleFlags extends RunOptions {
  readonly every?: string;
  readonly timeZone?: string;
  readonly at?: string;
  readonly untilEnd?: boolean;
  readonly url?: string;
}

/** `raymond submit --every`: makes a schedule of such runs, and prints its name. */
export async function scheduleRuns(
  options: ScheduleFlags,
  wanted: () => Promise<Omit<SubmitOptions, "at">>,
  shell: Shell,
): Promise<ExitCode> {
  refuseMisplaced(options, "start");
  const { every, timeZone = "UTC", at, untilEnd, json } = options;
  if (every === undefined) {
    throw new FlagConflictError(
      "--time-zone is for --every.",
      "A moment says it itself: 18:00+01:00.",
    );
  }
  if (at !== undefined || untilEnd === true) {
    throw new FlagConflictError(
      `--every and ${at === undefined ? "--wait" : "--at"} contradict each other.`,
      "A schedule begins many runs. Leave one of them away.",
    );
  }
  const { schedule } = await import("../fleet/schedules.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    const { name, next } = await schedule(
      { ...(await wanted()), every, zone: timeZone },
      fleet,
      shell,
    );
    if (json === true) {
      shell.out.line(JSON.stringify({ schedule: name, next_at: next.toISOString() }));
    } else {
      shell.out.line(name);
      const first = localMoment(next.getTime(), shell.now());
      shell.err.line(`It is due first ${first} (${zoneName(next.getTime())}).`);
    }
    return EXIT.completed;
  } finally {
    await fleet.close();
  }
}
