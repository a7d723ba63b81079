import type { RunId, RunState } from "../../../machine/run-state.ts";
import { parseDocument } from "../../../storage/codec/parse-document.ts";
import { decodeRun, encodeRun } from "../../../storage/codec/state-document.ts";
import type { Queries } from "../../store/database.ts";
import { PLACEMENT } from "../../store/rows/placed-runs.ts";
import type { Placement } from "../../store/rows/placement.ts";

/** A schedule of a fleet: when a workflow is begun again and again. */
export interface Schedule {
  readonly name: string;
  /** An expression of cron, and the time zone that it is meant in. */
  readonly cron: string;
  readonly zone: string;
  /** When it is due. */
  readonly next: Date;
  /** Nothing is begun until somebody resumes it. */
  readonly paused: boolean;
  /** What the workflow was called. */
  readonly workflow: string;
  /** The run that it has begun last, and when that was due. */
  readonly lastRun: RunId | null;
  readonly lastAt: Date | null;
  readonly createdAt: Date;
}

/** A schedule with what its runs begin with: each is as this one, but for its name. */
export interface StoredSchedule extends Pick<Schedule, "name" | "cron" | "zone" | "next"> {
  readonly run: RunState;
  readonly placement: Placement;
  /** Of its workflow. */
  readonly hash: string;
}

/** Keeps a new schedule; false where there is one of that name. */
export async function insertSchedule(
  on: Queries,
  { name, cron, zone, next, run, placement, hash }: StoredSchedule,
): Promise<boolean> {
  const made = await on.query(
    `INSERT INTO raymond.schedules (name, cron, zone, next_at, run, placement, workflow_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1`,
    [name, cron, zone, next, JSON.stringify(encodeRun(run)), JSON.stringify(placement), hash],
  );
  return made.length > 0;
}

/** All schedules, by their names. */
export async function listSchedules(on: Queries): Promise<readonly Schedule[]> {
  return on.query<Schedule>(
    `SELECT s.name, s.cron, s.zone, s.next_at AS next, s.paused, w.name AS workflow,
            s.last_run AS "lastRun", s.last_at AS "lastAt", s.created_at AS "createdAt"
       FROM raymond.schedules s JOIN raymond.workflows w ON w.hash = s.workflow_hash ORDER BY s.name`,
  );
}

/** Deletes a schedule; false where there is none of that name. */
export async function deleteSchedule(on: Queries, name: string): Promise<boolean> {
  const gone = await on.query("DELETE FROM raymond.schedules WHERE name = $1 RETURNING 1", [name]);
  return gone.length > 0;
}

/** Says whether a schedule begins nothing, and when it is due next. */
export async function pauseSchedule(
  on: Queries,
  name: string,
  paused: boolean,
  next: Date,
): Promise<void> {
  await on.query("UPDATE raymond.schedules SET paused = $2, next_at = $3 WHERE name = $1", [
    name,
    paused,
    next,
  ]);
}

/**
 * One that is due, but none of `others`, of which nobody else is told before this transaction ends; with the
 * clock of the database.
 */
export async function claimDue(
  on: Queries,
  others: readonly string[],
): Promise<{ readonly schedule: StoredSchedule; readonly now: Date } | null> {
  const [row] = await on.query<DueRow>(
    `SELECT name, cron, zone, next_at AS next, run, placement, workflow_hash AS hash,
            clock_timestamp() AS now
       FROM raymond.schedules
      WHERE NOT paused AND next_at <= clock_timestamp() AND name <> ALL($1)
      ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [others],
  );
  if (row === undefined) return null;
  const { run, placement, now, ...rest } = row;
  const place = `of the schedule ${row.name}`;
  const state = decodeRun(parseDocument(run, place));
  return {
    schedule: { ...rest, run: state, placement: PLACEMENT.parse(JSON.parse(placement)) },
    now,
  };
}

interface DueRow extends Omit<StoredSchedule, "run" | "placement"> {
  readonly run: string;
  readonly placement: string;
  readonly now: Date;
}

/** Records what a schedule has begun, and when it is due next. */
export async function advanceSchedule(
  on: Queries,
  { name, next }: Pick<Schedule, "name" | "next">,
  lastRun: RunId,
  after: Date,
): Promise<void> {
  await on.query(
    "UPDATE raymond.schedules SET last_run = $2, last_at = $3, next_at = $4 WHERE name = $1",
    [name, lastRun, next, after],
  );
}
