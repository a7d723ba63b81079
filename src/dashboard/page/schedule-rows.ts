import { distanceOf, localMoment, localTime } from "../../observers/local-time.ts";
import { printable } from "../../observers/printable.ts";
import type { FleetJson } from "../api.ts";
import { baseName } from "./run-rows.ts";
import type { StatusLook } from "./status-look.ts";

type Schedule = FleetJson["schedules"][number];

/** A schedule as the page shows it: all of it text that is safe to show. */
export interface ScheduleRow {
  readonly name: string;
  readonly workflow: string;
  /** The expression of cron, and the time zone that it is meant in. */
  readonly cron: string;
  readonly zone: string;
  readonly look: StatusLook;
  /** When it is due next, to the second; empty while it is paused. */
  readonly exactly: string;
  /** Id of the run that it has begun last, as it is; null before the first. */
  readonly lastRun: string | null;
  /** When that was due. */
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
  return { symbol: "✕", words: `was due ${when}: no worker has begun it`, tone: "bad" };
}

/** A worker that is there begins what is due within seconds. */
const LATE_MS = 60_000;
