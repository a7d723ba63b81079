import type { Command } from "commander";
import { localMoment, zoneName } from "../../../console/local-time.ts";
import type { OpenFleet } from "../../../fleet/admin/open.ts";
import { listSchedules, setPaused, unschedule } from "../../../fleet/queue/schedules/schedules.ts";
import { recordAudit } from "../../../fleet/store/audit.ts";
import type { FleetSchedule } from "../../../inspect/fleet-board.ts";
import { scheduleJson } from "../../../inspect/json/fleet-json.ts";
import type { AuditAction } from "../../../wire/run-source.ts";
import { examples, FLEET_URL, JSON_LINES, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { type FleetOptions, withFleet } from "./in-fleet.ts";
import { printList } from "./print-list.ts";

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
    .action(async (options: FleetOptions) => {
      const all = await withFleet(options, shell, ({ database }) => listSchedules(database));
      printSchedules(all, options, shell);
    });
  for (const [name, { summary, audit: action, act }] of Object.entries(CHANGES)) {
    command
      .command(name)
      .description(summary)
      .argument("<schedule>", "Name of the schedule")
      .option(...JSON_OBJECT)
      .option(...FLEET_URL)
      .action(async (schedule: string, options: FleetOptions) => {
        const line = await withFleet(options, shell, async (fleet) => {
          const actor = shell.actor();
          const entry = { action, run: null, actor, detail: schedule } as const;
          await recordAudit(fleet.database, entry);
          const text = await act(schedule, fleet, shell);
          return options.json === true ? asJson(schedule, fleet) : text;
        });
        shell.out.line(line);
      });
  }
}

function printSchedules(all: readonly FleetSchedule[], options: FleetOptions, shell: Shell): void {
  const now = shell.now();
  const format = {
    headings: [
      ...["schedule", "when", "time zone", `next (${zoneName(now)})`, "last run", "workflow"],
    ],
    cells: ({ name, cron, zone, next, paused, workflow, lastRun }: FleetSchedule) => [
      ...[name, cron, zone, paused ? "paused" : localMoment(next.getTime(), now)],
      ...[lastRun ?? "-", workflow],
    ],
    json: scheduleJson,
    empty: "No schedules. Create one with: raymond submit WORKFLOW --every CRON",
  };
  printList(all, format, options, shell);
}

async function asJson(name: string, { database }: OpenFleet): Promise<string> {
  const schedule = (await listSchedules(database)).find((one) => one.name === name);
  return JSON.stringify(schedule === undefined ? { name, removed: true } : scheduleJson(schedule));
}

interface Change {
  readonly summary: string;
  readonly audit: AuditAction;
  /** Returns a sentence about the outcome. */
  readonly act: (name: string, fleet: OpenFleet, shell: Shell) => Promise<string>;
}

const CHANGES: Readonly<Record<"pause" | "resume" | "remove", Change>> = {
  pause: {
    summary: "Pause a schedule: it starts no runs",
    audit: "pause-schedule",
    act: async (name, { database }, shell) => {
      await setPaused(name, true, database, shell);
      return `Paused ${name}. Resume it with: raymond fleet schedules resume ${name}`;
    },
  },
  resume: {
    summary: "Resume a paused schedule",
    audit: "resume-schedule",
    act: async (name, { database }, shell) => {
      const { next } = await setPaused(name, false, database, shell);
      return `Resumed ${name}. Next run: ${localMoment(next.getTime(), shell.now())}.`;
    },
  },
  remove: {
    summary: "Remove a schedule. Its runs continue",
    audit: "remove-schedule",
    act: async (name, { database }) => {
      await unschedule(name, database);
      return `Removed the schedule ${name}. Its runs continue.`;
    },
  },
};
