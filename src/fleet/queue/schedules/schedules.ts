import type { FleetSchedule } from "../../../inspect/fleet-board.ts";
import { stemOf } from "../../../language/workflow/files/state-name.ts";
import { runIdProblem } from "../../../machine/model/run-id.ts";
import type { RunId, RunState } from "../../../machine/model/run-state.ts";
import { newRun } from "../../../machine/moves/new-run.ts";
import { parseDocument } from "../../../storage/codec/parse-document.ts";
import { decodeRun, encodeRun } from "../../../storage/codec/state-document.ts";
import { storageErrors } from "../../../storage/errors.ts";
import type { Caller } from "../../../wire/caller.ts";
import { newToken } from "../../../wire/system/system.ts";
import { fleetErrors } from "../../errors.ts";
import { recordAudit } from "../../store/audit.ts";
import type { Queries } from "../../store/database.ts";
import { storeWorkflow } from "../../store/rows/placed-runs.ts";
import { PLACEMENT, type Placement } from "../../store/rows/placement.ts";
import { prepareSubmit, type SubmitOptions, type SubmitTarget } from "../submit.ts";
import { cronProblem, isTimeZone, nextTime } from "./cron.ts";

/** Submits a workflow repeatedly. `id`: the name of the schedule; by default that of the workflow. */
export interface ScheduleOptions extends Omit<SubmitOptions, "at"> {
  /** A cron expression. */
  readonly every: string;
  readonly zone: string;
}

export type Scheduled = Pick<FleetSchedule, "name" | "next">;

/** Creates a schedule with the current workflow. Rejects with a RaymondError, and then stores nothing. */
export async function schedule(
  { every, zone, ...options }: ScheduleOptions,
  to: Pick<SubmitTarget, "database">,
  caller: Caller,
): Promise<Scheduled> {
  const { database } = to;
  const wrong = cronProblem(every);
  if (wrong !== null) throw fleetErrors["fleet/bad-schedule"]("--every", every, wrong);
  if (!isTimeZone(zone))
    throw fleetErrors["fleet/bad-schedule"]("--time-zone", zone, "is not a known time zone");
  const { start, placement, workflow } = await prepareSubmit(options, to, caller);
  const name = options.id ?? stemOf(workflow.name).replaceAll(/[^\w-]/g, "-");
  const problem = runIdProblem(runOf(name, new Date(0)));
  if (problem !== null) throw storageErrors["store/bad-run-id"](name, problem);
  const now = caller.now();
  const next = new Date(nextTime(every, zone, now));
  const run = newRun({ ...start, id: name, at: now, token: newToken() });
  const actor = caller.actor();
  await recordAudit(database, { action: "schedule", run: null, actor, detail: name });
  await storeWorkflow(database, workflow);
  const inserted = await database.query(
    `INSERT INTO raymond.schedules (name, cron, zone, next_at, run, placement, workflow_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1`,
    [
      ...[name, every, zone, next, JSON.stringify(encodeRun(run)), JSON.stringify(placement)],
      workflow.hash,
    ],
  );
  if (inserted.length === 0) throw fleetErrors["fleet/schedule-exists"](name);
  return { name, next };
}

/** All schedules, by name. */
export async function listSchedules(on: Queries): Promise<readonly FleetSchedule[]> {
  return on.query<FleetSchedule>(
    `SELECT s.name, s.cron, s.zone, s.next_at AS next, s.paused, w.name AS workflow,
            s.last_run AS "lastRun", s.last_at AS "lastAt", s.created_at AS "createdAt"
       FROM raymond.schedules s JOIN raymond.workflows w ON w.hash = s.workflow_hash ORDER BY s.name`,
  );
}

/** Pauses or resumes a schedule. Rejects with `fleet/unknown-schedule`. */
export async function setPaused(
  name: string,
  paused: boolean,
  on: Queries,
  { now }: Pick<Caller, "now">,
): Promise<Scheduled> {
  const { cron, zone } = await findSchedule(name, on);
  const next = new Date(nextTime(cron, zone, now()));
  await on.query("UPDATE raymond.schedules SET paused = $2, next_at = $3 WHERE name = $1", [
    name,
    paused,
    next,
  ]);
  return { name, next };
}

/** Removes a schedule; its runs stay. Rejects with `fleet/unknown-schedule`. */
export async function unschedule(name: string, on: Queries): Promise<void> {
  await findSchedule(name, on);
  await on.query("DELETE FROM raymond.schedules WHERE name = $1", [name]);
}

async function findSchedule(name: string, on: Queries): Promise<FleetSchedule> {
  const all = await listSchedules(on);
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = all.map((one) => one.name);
  throw fleetErrors["fleet/unknown-schedule"](name, names);
}

/** The id of a run of a schedule, by its due time in UTC: `nightly-2026-11-22-0300`. */
export function runOf(name: string, due: Date): RunId {
  const [day = "", time = ""] = due.toISOString().split("T");
  return `${name}-${day}-${time.slice(0, 5).replace(":", "")}`;
}

/** A schedule with the state and the placement of its runs. */
export interface StoredSchedule extends Pick<FleetSchedule, "name" | "cron" | "zone" | "next"> {
  readonly run: RunState;
  readonly placement: Placement;
  /** The hash of its workflow. */
  readonly hash: string;
}

/** Locks a due schedule, except these, until the end of the transaction. `now`: the time of the database. */
export async function claimDue(
  on: Queries,
  except: readonly string[],
): Promise<{ readonly schedule: StoredSchedule; readonly now: Date } | null> {
  const [row] = await on.query<DueRow>(
    `SELECT name, cron, zone, next_at AS next, run, placement::jsonb, workflow_hash AS hash,
            clock_timestamp() AS now
       FROM raymond.schedules
      WHERE NOT paused AND next_at <= clock_timestamp() AND name <> ALL($1)
      ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [except],
  );
  if (row === undefined) return null;
  const { run, placement, now, ...rest } = row;
  const state = decodeRun(parseDocument(run, `of the schedule ${row.name}`));
  return { schedule: { ...rest, run: state, placement: PLACEMENT.parse(placement) }, now };
}

interface DueRow extends Omit<StoredSchedule, "run" | "placement"> {
  readonly run: string;
  readonly placement: unknown;
  readonly now: Date;
}

/** Records the last run of a schedule, and when it is due next. */
export async function advanceSchedule(
  on: Queries,
  { name, next }: Scheduled,
  lastRun: RunId,
  after: Date,
): Promise<void> {
  await on.query(
    "UPDATE raymond.schedules SET last_run = $2, last_at = $3, next_at = $4 WHERE name = $1",
    [name, lastRun, next, after],
  );
}
