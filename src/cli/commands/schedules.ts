import type { OpenFleet } from "../../fleet/open.ts";
import { localMoment, zoneName } from "../../observers/local-time.ts";
import { scheduleJson } from "../../runs/json/fleet-json.ts";
import { BadSchedulesCallError } from "../errors.ts";
import { openFleetOf } from "../in-fleet.ts";
import type { Shell } from "../shell.ts";
import { formatTable } from "../table.ts";

interface SchedulesOptions {
  readonly what?: string;
  readonly schedule?: string;
  readonly url?: string;
  readonly json?: true;
}

/** What may follow `raymond schedules`. */
export const SCHEDULE_WORDS = ["remove", "pause", "resume"] as const;

/** `raymond schedules`: the schedules of a fleet; or takes one away, or lets it rest for a while. */
export async function schedulesCommand(options: SchedulesOptions, shell: Shell): Promise<void> {
  const { what, schedule } = options;
  const word = SCHEDULE_WORDS.find((one) => one === what);
  if (what !== undefined && (word === undefined || schedule === undefined)) {
    throw new BadSchedulesCallError(what, SCHEDULE_WORDS);
  }
  const fleet = await openFleetOf(shell, options);
  try {
    if (word === undefined || schedule === undefined) await show(fleet, options, shell);
    else {
      const told = await change(word, schedule, fleet, shell);
      shell.out.line(options.json === true ? await asJson(schedule, fleet) : told);
    }
  } finally {
    await fleet.close();
  }
}

async function show(fleet: OpenFleet, { json }: SchedulesOptions, shell: Shell): Promise<void> {
  const { schedules } = await import("../../fleet/schedules.ts");
  const all = await schedules(fleet.database);
  if (json === true) {
    for (const schedule of all) shell.out.line(JSON.stringify(scheduleJson(schedule)));
    return;
  }
  if (all.length === 0) {
    shell.err.line("There is no schedule. To make one: raymond submit WORKFLOW --every CRON");
    return;
  }
  const now = shell.now();
  const rows = all.map(({ name, cron, zone, next, paused, workflow, lastRun }) => [
    ...[name, cron, zone, paused ? "paused" : localMoment(next.getTime(), now)],
    ...[lastRun ?? "-", workflow],
  ]);
  const heading = ["schedule", "when", "time zone", `next (${zoneName(now)})`, "last run"];
  const table = [[...heading, "workflow"], ...rows];
  for (const line of formatTable(table, ["left", "left", "left", "left", "left", "left"])) {
    shell.out.line(line);
  }
}

/** A schedule as it is now, as the list has it. */
async function asJson(name: string, { database }: OpenFleet): Promise<string> {
  const { schedules } = await import("../../fleet/schedules.ts");
  const schedule = (await schedules(database)).find((one) => one.name === name);
  return JSON.stringify(schedule === undefined ? { name, removed: true } : scheduleJson(schedule));
}

/** What has become of it, in words. */
async function change(
  word: (typeof SCHEDULE_WORDS)[number],
  name: string,
  { database }: OpenFleet,
  shell: Shell,
): Promise<string> {
  const { setPaused, unschedule } = await import("../../fleet/schedules.ts");
  switch (word) {
    case "remove":
      await unschedule(name, database);
      return `${name} is no schedule any more. What it has begun goes on.`;
    case "pause":
      await setPaused(name, true, database, shell);
      return `${name} begins nothing until: raymond schedules resume ${name}`;
    case "resume": {
      const { next } = await setPaused(name, false, database, shell);
      return `${name} is due next ${localMoment(next.getTime(), shell.now())}.`;
    }
  }
}
