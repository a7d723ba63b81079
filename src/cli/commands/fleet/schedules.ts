import type { Command } from "commander";
import { localMoment, zoneName } from "../../../console/local-time.ts";
import type { OpenFleet } from "../../../fleet/admin/open.ts";
import { scheduleJson } from "../../../inspect/json/fleet-json.ts";
import { examples, FLEET_URL, JSON_LINES, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { formatTable } from "../../words/table.ts";
import { openFleetOf } from "./in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option(...JSON_LINES)
    .option(...FLEET_URL)
    .addHelpText(
      "after",
      examples(
        ["raymond fleet schedules", "List schedules"],
        ["raymond fleet schedules pause nightly", "Start no runs until it is resumed"],
        ["raymond fleet schedules remove nightly", "Started runs continue"],
      ),
    )
    .action((options: SchedulesOptions) =>
      withFleet(options, shell, (fleet) => show(fleet, options, shell)),
    );
  for (const [name, { summary, act }] of Object.entries(CHANGES)) {
    command
      .command(name)
      .description(summary)
      .argument("<schedule>", "Name of the schedule")
      .option(...JSON_OBJECT)
      .option(...FLEET_URL)
      .action((schedule: string, options: SchedulesOptions) =>
        withFleet(options, shell, async (fleet) => {
          const text = await act(schedule, fleet, shell);
          shell.out.line(options.json === true ? await asJson(schedule, fleet) : text);
        }),
      );
  }
}

interface SchedulesOptions {
  readonly url?: string;
  readonly json?: true;
}

async function withFleet(
  options: SchedulesOptions,
  shell: Shell,
  act: (fleet: OpenFleet) => Promise<void>,
): Promise<void> {
  const fleet = await openFleetOf(shell, options);
  try {
    await act(fleet);
  } finally {
    await fleet.close();
  }
}

async function show(fleet: OpenFleet, { json }: SchedulesOptions, shell: Shell): Promise<void> {
  const { listSchedules } = await import("../../../fleet/queue/schedules/schedules.ts");
  const all = await listSchedules(fleet.database);
  if (json === true) {
    for (const schedule of all) shell.out.line(JSON.stringify(scheduleJson(schedule)));
    return;
  }
  if (all.length === 0) {
    shell.err.line("No schedules. Create one with: raymond submit WORKFLOW --every CRON");
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

async function asJson(name: string, { database }: OpenFleet): Promise<string> {
  const { listSchedules } = await import("../../../fleet/queue/schedules/schedules.ts");
  const schedule = (await listSchedules(database)).find((one) => one.name === name);
  return JSON.stringify(schedule === undefined ? { name, removed: true } : scheduleJson(schedule));
}

interface Change {
  readonly summary: string;
  /** Returns a sentence about the outcome. */
  readonly act: (name: string, fleet: OpenFleet, shell: Shell) => Promise<string>;
}

const CHANGES: Readonly<Record<"pause" | "resume" | "remove", Change>> = {
  pause: {
    summary: "Pause a schedule: it starts no runs",
    act: async (name, { database }, shell) => {
      const { setPaused } = await import("../../../fleet/queue/schedules/schedules.ts");
      await setPaused(name, true, database, shell);
      return `Paused ${name}. Resume it with: raymond fleet schedules resume ${name}`;
    },
  },
  resume: {
    summary: "Resume a paused schedule",
    act: async (name, { database }, shell) => {
      const { setPaused } = await import("../../../fleet/queue/schedules/schedules.ts");
      const { next } = await setPaused(name, false, database, shell);
      return `Resumed ${name}. Next run: ${localMoment(next.getTime(), shell.now())}.`;
    },
  },
  remove: {
    summary: "Remove a schedule. Its runs continue",
    act: async (name, { database }) => {
      const { unschedule } = await import("../../../fleet/queue/schedules/schedules.ts");
      await unschedule(name, database);
      return `Removed the schedule ${name}. Its runs continue.`;
    },
  },
};
