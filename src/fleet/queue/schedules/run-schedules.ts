import type { Clock } from "../../../engine/ports/clock.ts";
import type { RunId } from "../../../machine/model/run-state.ts";
import { newRun, newRunOptionsOf } from "../../../machine/moves/new-run.ts";
import { newToken } from "../../../wire/system/system.ts";
import { findPlacement } from "../../store/rows/placed-runs.ts";
import type { Queues } from "../queues.ts";
import { type SubmitTarget, storeRun } from "../submit.ts";
import { nextTime } from "./cron.ts";
import { advanceSchedule, claimDue, runOf, type StoredSchedule } from "./schedules.ts";

interface ScheduleRunner extends Omit<SubmitTarget, "queues"> {
  readonly queues: Queues;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly until: AbortSignal;
  readonly log: (line: string) => void;
}

/** Starts due runs. Several workers do this; each run is started once. Never rejects. */
export async function runSchedules(of: ScheduleRunner): Promise<void> {
  const { clock, everyMs, until } = of;
  /** Schedules whose failure was logged. */
  const logged = new Set<string>();
  while (!until.aborted) {
    await startAll(of, logged);
    await clock.sleep(everyMs * (0.5 + Math.random()), until);
  }
}

async function startAll(of: ScheduleRunner, logged: Set<string>): Promise<void> {
  const failed: string[] = [];
  for (let more = true; more; ) {
    more = await startDue(of, failed).catch((error: unknown) => {
      // Errors before a claim come from the database and are logged elsewhere.
      if (!(error instanceof NotStartedError)) return false;
      const { schedule, message } = error;
      failed.push(schedule);
      if (!logged.has(schedule)) of.log(`${schedule}: not started, will be retried: ${message}`);
      logged.add(schedule);
      return !of.until.aborted;
    });
  }
}

/** A due schedule could not be started. */
class NotStartedError extends Error {
  readonly schedule: string;

  constructor(schedule: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.schedule = schedule;
  }
}

/** Starts the run of one due schedule, except these; false if none is due. */
function startDue(
  to: Pick<ScheduleRunner, keyof SubmitTarget | "log">,
  except: readonly string[],
): Promise<boolean> {
  return to.database.transaction(async (on) => {
    const due = await claimDue(on, except);
    if (due === null) return false;
    const { schedule, now } = due;
    const { name, next, cron, zone } = schedule;
    try {
      const id = runOf(name, next);
      await start(id, schedule, now, to);
      // One run makes up for all times that were missed.
      await advanceSchedule(on, schedule, id, new Date(nextTime(cron, zone, now.getTime())));
      to.log(`${name}: started ${id}`);
      return true;
    } catch (error) {
      throw new NotStartedError(name, error);
    }
  });
}

/** After a crash the next worker finds the run in the database, and the reaper enqueues it. */
async function start(
  id: RunId,
  { run, placement, hash }: StoredSchedule,
  now: Date,
  { queues, ...to }: Pick<ScheduleRunner, keyof SubmitTarget>,
): Promise<void> {
  if ((await findPlacement(to.database, id)) !== null) return;
  const started = newRun({ ...newRunOptionsOf(run), id, at: now.getTime(), token: newToken() });
  await storeRun(started, placement, hash, { ...to, queues: () => Promise.resolve(queues) });
}
