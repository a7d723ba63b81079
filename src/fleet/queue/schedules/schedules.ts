import { stemOf } from "../../../language/workflow/files/state-name.ts";
import { newRun } from "../../../machine/new-run.ts";
import { runIdProblem } from "../../../machine/run-id.ts";
import type { RunId } from "../../../machine/run-state.ts";
import { storageErrors } from "../../../storage/errors.ts";
import type { Caller } from "../../../wire/caller.ts";
import { newToken } from "../../../wire/system/system.ts";
import { fleetErrors } from "../../errors.ts";
import type { Database } from "../../store/database.ts";
import { storeWorkflow } from "../../store/rows/placed-runs.ts";
import { prepareSubmit, type SubmitOptions, type SubmitTarget } from "../submit.ts";
import { cronProblem, isTimeZone, nextTime } from "./cron.ts";
import {
  deleteSchedule,
  insertSchedule,
  listSchedules,
  pauseSchedule,
  type Schedule,
} from "./schedules-rows.ts";

/** A workflow that the fleet is to begin again and again. */
export interface ScheduleOptions extends Omit<SubmitOptions, "at"> {
  /** An expression of cron, and the time zone that it is meant in. */
  readonly every: string;
  readonly zone: string;
}

/** A schedule that was made, and when it is due first. */
export type Scheduled = Pick<Schedule, "name" | "next">;

/**
 * Keeps a schedule, with its workflow as it is now and all that its runs begin with; `id` is its name, without it
 * that of the workflow. Rejects with a RaymondError for whatever can be found wrong; then nothing is kept of it.
 */
export async function schedule(
  { every, zone, ...options }: ScheduleOptions,
  to: Pick<SubmitTarget, "database">,
  caller: Caller,
): Promise<Scheduled> {
  const wrong = cronProblem(every);
  if (wrong !== null) throw fleetErrors["fleet/bad-schedule"]("--every", every, wrong);
  if (!isTimeZone(zone))
    throw fleetErrors["fleet/bad-schedule"]("--time-zone", zone, "is none that is known here");
  const { beginning, placement, workflow } = await prepareSubmit(options, to, caller);
  const name = options.id ?? stemOf(workflow.name).replaceAll(/[^\w-]/g, "-");
  const problem = runIdProblem(runOf(name, new Date(0)));
  if (problem !== null) throw storageErrors["store/bad-run-id"](name, problem);
  const now = caller.now();
  const next = new Date(nextTime(every, zone, now));
  const run = newRun({ ...beginning, id: name, at: now, token: newToken() });
  await storeWorkflow(to.database, workflow);
  const kept = { name, cron: every, zone, next, run, placement, hash: workflow.hash };
  if (!(await insertSchedule(to.database, kept))) throw fleetErrors["fleet/schedule-exists"](name);
  return { name, next };
}

/** All schedules of a fleet, by their names. */
export function schedules(database: Database): Promise<readonly Schedule[]> {
  return listSchedules(database);
}

/** Lets a schedule begin nothing, or begin runs again: first when it is due next. */
export async function setPaused(
  name: string,
  paused: boolean,
  database: Database,
  { now }: Pick<Caller, "now">,
): Promise<Scheduled> {
  const { cron, zone } = await findSchedule(name, database);
  const next = new Date(nextTime(cron, zone, now()));
  await pauseSchedule(database, name, paused, next);
  return { name, next };
}

/** Takes a schedule away; its runs stay. */
export async function unschedule(name: string, database: Database): Promise<void> {
  if (!(await deleteSchedule(database, name))) await findSchedule(name, database);
}

async function findSchedule(name: string, database: Database): Promise<Schedule> {
  const all = await listSchedules(database);
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw fleetErrors["fleet/unknown-schedule"](
    name,
    all.map((one) => one.name),
  );
}

/** What the run is called that a schedule begins when it is due: `nightly-2026-11-22-0300`, in UTC. */
export function runOf(schedule: string, due: Date): RunId {
  const [day = "", time = ""] = due.toISOString().split("T");
  return `${schedule}-${day}-${time.slice(0, 5).replace(":", "")}`;
}
