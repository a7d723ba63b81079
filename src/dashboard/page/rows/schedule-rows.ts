import { distanceOf, localMoment, localTime } from "../../../console/local-time.ts";
import { printable } from "../../../log/printable.ts";
import type { FleetJson } from "../../api.ts";
import { baseName } from "./run-rows.ts";
import type { StatusLook } from "./status-look.ts";

type Schedule = FleetJson["schedules"][number];

/** A schedule on the page. All texts are safe to display. */
export interface ScheduleRow {
  readonly name: string;
  readonly workflow: string;
  readonly cron: string;
  readonly zone: string;
  readonly look: StatusLook;
  /** The next start to the second; empty while it is paused. */
  readonly exactly: string;
  /** Id of the last run, unescaped; null before the first. */
  readonly lastRun: string | null;
  /** When the last run was due. */
  readonly lastWhen: string;
}

export function scheduleRow(schedule: Schedule, now: number): ScheduleRow {
  const { name, workflow, cron, time_zone: zone, paused, last_run, last_at } = schedule;
  const next = Date.parse(schedule.next_at);
  return {
    name: printable(name),
    workflow: printable(baseName(workflow)),
    cron: printable(cron),
    zone: printable(zone),
    look: lookOf(paused, next, now),
    exactly: paused ? "" : localTime(next),
    lastRun: last_run,
    lastWhen: last_at === null ? "" : localMoment(Date.parse(last_at), now),
  };
}

function lookOf(paused: boolean, next: number, now: number): StatusLook {
  if (paused) return { symbol: "‖", words: "paused", tone: "warn" };
  const when = `${localMoment(next, now)}, ${distanceOf(next, now)}`;
  if (now - next < LATE_MS) return { symbol: "◔", words: when, tone: "plain" };
  return { symbol: "✕", words: `overdue since ${when}: no worker has started it`, tone: "bad" };
}

/** A live worker starts a due run within seconds. */
const LATE_MS = 60_000;
