import { localMoment, zoneName } from "../../../console/local-time.ts";
import type { SubmitOptions } from "../../../fleet/queue/submit.ts";
import { type RunOptions, refuseMisplaced } from "../../parse/run-options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { openFleetOf } from "./in-fleet.ts";

interface ScheduleFlags extends RunOptions {
  readonly every?: string;
  readonly timeZone?: string;
  readonly at?: string;
  readonly follow?: boolean;
  readonly url?: string;
}

/** Creates a schedule, and prints its name. */
export async function scheduleRuns(
  options: ScheduleFlags,
  wanted: () => Promise<Omit<SubmitOptions, "at">>,
  shell: Shell,
): Promise<ExitCode> {
  refuseMisplaced(options, "submit");
  const { every, timeZone = "UTC", at, follow, json } = options;
  if (every === undefined) {
    throw cliErrors["cli/flag-conflict"](
      "--time-zone is for --every.",
      "Write the time zone into the time of --at: 18:00+01:00",
    );
  }
  if (at !== undefined || follow === true) {
    throw cliErrors["cli/flag-conflict"](
      `--every and ${at === undefined ? "--follow" : "--at"} cannot be combined.`,
      "A schedule starts many runs. Use only one of them.",
    );
  }
  const { schedule } = await import("../../../fleet/queue/schedules/schedules.ts");
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
      shell.err.line(`First run: ${first} (${zoneName(next.getTime())}).`);
    }
    return EXIT.completed;
  } finally {
    await fleet.close();
  }
}
