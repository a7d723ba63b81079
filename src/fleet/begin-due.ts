import { beginningOf, newRun } from "../core/machine/new-run.ts";
import type { RunId } from "../core/machine/run-state.ts";
import type { Clock } from "../ports/clock.ts";
import { newToken } from "../runs/wire/system.ts";
import { findPlacement } from "../stores/postgres/placed-runs.ts";
import type { Queues } from "../stores/postgres/queues.ts";
import { claimDue, type KeptSchedule, settleSchedule } from "../stores/postgres/schedules.ts";
import { nextTime } from "./cron.ts";
import { runOf } from "./schedules.ts";
import { keepRun, type SubmitTo } from "./submit.ts";

/** What a worker needs to begin what is due. */
interface Beginner extends Omit<SubmitTo, "queues"> {
  readonly queues: Queues;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly until: AbortSignal;
  readonly tell: (line: string) => void;
}

/** Begins what is due, one run for each time that a schedule is: whichever worker comes first. Never rejects. */
export async function keepBeginning(of: Beginner): Promise<void> {
  const { clock, everyMs, until } = of;
  /** Those that could not be begun, and were told of. */
  const told = new Set<string>();
  while (!until.aborted) {
    await beginAll(of, told);
    await clock.sleep(everyMs * (0.5 + Math.random()), until);
  }
}

async function beginAll(of: Beginner, told: Set<string>): Promise<void> {
  const failed: string[] = [];
  for (let more = true; more; ) {
    more = await beginDue(of, failed).catch((error: unknown) => {
      // Before one was claimed it is the database that fails, and others tell of that.
      if (!(error instanceof NotBegunError)) return false;
      const { schedule, message } = error;
      failed.push(schedule);
      if (!told.has(schedule)) of.tell(`${schedule}: not begun, and tried again: ${message}`);
      told.add(schedule);
      return !of.until.aborted;
    });
  }
}

/** Why what is due could not be begun. */
class NotBegunError extends Error {
  readonly schedule: string;

  constructor(schedule: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.schedule = schedule;
  }
}

/** Begins one that is due, but none of `others`; false where there is none. */
export function beginDue(
  to: Pick<Beginner, keyof SubmitTo | "tell">,
  others: readonly string[],
): Promise<boolean> {
  return to.database.transaction(async (on) => {
    const due = await claimDue(on, others);
    if (due === null) return false;
    const { schedule, now } = due;
    const { name, next, cron, zone } = schedule;
    try {
      const id = runOf(name, next);
      await begin(id, schedule, now, to);
      // What was missed while no worker was there is made up for by this one run.
      await settleSchedule(on, schedule, id, new Date(nextTime(cron, zone, now.getTime())));
      to.tell(`${name}: ${id} is due`);
      return true;
    } catch (error) {
      throw new NotBegunError(name, error);
    }
  });
}

/** Where a worker was cut off, the next one finds the run there: what is left of it the reaper does. */
async function begin(
  id: RunId,
  { run, placement, hash }: KeptSchedule,
  now: Date,
  { queues, ...to }: Pick<Beginner, keyof SubmitTo>,
): Promise<void> {
  if ((await findPlacement(to.database, id)) !== null) return;
  const begun = newRun({ ...beginningOf(run), id, at: now.getTime(), token: newToken() });
  await keepRun(begun, placement, hash, { ...to, queues: () => Promise.resolve(queues) });
}
