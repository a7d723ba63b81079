import { formatUsd } from "../../../language/basics/money.ts";
import { nextLimitRetryAt } from "../../../machine/waits/wait.ts";
import type { Database, Queries } from "../../store/database.ts";
import { retryWaitingRuns, SPENT_TODAY, USED_SLOTS } from "../accounts.ts";
import { lockAccount, recordWaiting, type Waiter } from "./admissions.ts";

/*
 * When a prompt step of an account may start, across all machines:
 *
 * S1  A request locks the row of the account before it counts. So no two steps get the same slot, and a new
 *     limit also counts steps in progress.
 * S2  A worker holds a slot for one process. The slots of a dead worker are free.
 * S3  After a usage limit, no step starts until the limit should have ended. Then one step, the probe, starts
 *     alone, and the others wait for its result (docs/budgets.md, "Usage limits").
 * S4  Steps in progress end, whatever they cost. When the daily budget is spent, no step starts until the
 *     next day.
 */

/** A step that is about to start its client. */
export interface SlotRequest extends Waiter {
  /** Unique in its run. */
  readonly process: number;
}

export type SlotDecision =
  | { readonly kind: "granted" }
  /** Not before `ms` have passed. */
  | { readonly kind: "limited"; readonly ms: number; readonly message: string }
  /** The step requests the slot again later. */
  | { readonly kind: "wait" };

/** Requests a slot for a step. Idempotent. */
export function requestSlot(database: Database, step: SlotRequest): Promise<SlotDecision> {
  const { account, holder, run, agent, process } = step;
  const values = [account, holder, run, agent, process];
  return database.transaction(async (on) => {
    await lockAccount(on, account);
    const [usage] = await on.query<AccountUsage>(USAGE, [...values, probeOf(step)]);
    if (usage === undefined || usage.granted) return { kind: "granted" };
    const limited = limitedBy(account, usage);
    if (limited !== null) {
      await stopWaiting(on, step);
      return limited;
    }
    const { cooling_ms: coolingMs, max_slots: max } = usage;
    const isCooling = coolingMs !== null && (coolingMs > 0 || usage.probed);
    if (isCooling || (max !== null && usage.used >= max)) {
      await recordWaiting(on, step);
      return { kind: "wait" };
    }
    await on.query(DELETE_DEAD_SLOTS, [account]);
    await on.query(ACQUIRE, values);
    if (coolingMs !== null) {
      const probe = "UPDATE raymond.accounts SET probed_by = $2, probe = $3 WHERE name = $1";
      await on.query(probe, [account, holder, probeOf(step)]);
    }
    await stopWaiting(on, step);
    return { kind: "granted" };
  });
}

/** Withdraws the request of a step that was cancelled. */
export async function stopWaiting(on: Queries, { run, agent, holder }: Waiter): Promise<void> {
  await on.query("DELETE FROM raymond.waiters WHERE run = $1 AND agent = $2 AND holder = $3", [
    run,
    agent,
    holder,
  ]);
}

/** The state of the account as a client has observed it. */
export type ClientReport =
  | { readonly kind: "reached-model" }
  /** A usage limit; `resetsAt`: epoch ms, if the client has reported it. */
  | { readonly kind: "limit"; readonly resetsAt: number | null; readonly message: string }
  | { readonly kind: "nothing" };

/** Releases the slot of a step whose client has ended, and records its report. `at`: epoch ms, by the local clock. */
export function releaseSlot(
  database: Database,
  step: SlotRequest,
  report: ClientReport,
  at: number,
): Promise<void> {
  const { account, holder, run, agent, process } = step;
  return database.transaction(async (on) => {
    await lockAccount(on, account);
    const released = await on.query(
      `DELETE FROM raymond.slots WHERE account = $1 AND holder = $2 AND run = $3 AND agent = $4
          AND process = $5 RETURNING 1`,
      [account, holder, run, agent, process],
    );
    // A repeated request: the first one has recorded the report.
    if (released.length === 0) return;
    const [before] = await on.query<Cooldown>(COOLDOWN, [account, probeOf(step)]);
    if (report.kind === "limit") await startCooldown(on, account, report, at, before);
    else if (before?.probes !== true) return;
    else if (report.kind === "nothing") await on.query(END_PROBE, [account]);
    else {
      await on.query(END_COOLDOWN, [account]);
      await retryWaitingRuns(on, account);
    }
  });
}

/** Ends the cooldown of the account of a run, at the request of a user. */
export async function endCooldown(on: Queries, run: string): Promise<void> {
  await on.query(
    `UPDATE raymond.accounts SET cooldown_until = clock_timestamp()
      WHERE cooldown_until > clock_timestamp()
        AND name = (SELECT account FROM raymond.runs WHERE id = $1)`,
    [run],
  );
}

async function startCooldown(
  on: Queries,
  account: string,
  { resetsAt, message }: Extract<ClientReport, { kind: "limit" }>,
  at: number,
  before: Cooldown | undefined,
): Promise<void> {
  const { cooling_ms: left = null, tries = 0, probes = false } = before ?? {};
  // A step that started before the cooldown reports the same limit again.
  const isRepeated = left !== null && !probes;
  const until = nextLimitRetryAt(resetsAt, at, isRepeated ? Math.max(1, tries) : tries + 1);
  const ms = isRepeated && resetsAt === null ? left : Math.max(until - at, isRepeated ? left : 0);
  await on.query(
    `UPDATE raymond.accounts SET cooldown_until = clock_timestamp() + $2 * interval '1 millisecond',
       cooldown_message = $3, cooldown_tries = $4, probe = NULL, probed_by = NULL WHERE name = $1`,
    [account, ms, message, isRepeated ? tries : tries + 1],
  );
}

function limitedBy(
  account: string,
  { today, per_day, day_ms, cooling_ms: ms, cooldown_message }: AccountUsage,
): SlotDecision | null {
  if (per_day !== null && today >= per_day) {
    const message = `Account ${account} has spent ${formatUsd(today)} of its daily budget of ${formatUsd(per_day)} (UTC).`;
    return { kind: "limited", ms: day_ms, message };
  }
  if (ms === null || ms <= SHORT_MS) return null;
  const message = `A run of account ${account} has reached a usage limit: ${cooldown_message ?? ""}`;
  return { kind: "limited", ms, message };
}

/** A shorter rest of a cooldown is not reported as a limit, because clocks differ. */
const SHORT_MS = 3_000;

function probeOf({ run, agent, process }: SlotRequest): string {
  return `${run}/${agent}/${String(process)}`;
}

interface AccountUsage {
  /** The step has its slot: the answer to its first request was lost. */
  readonly granted: boolean;
  readonly max_slots: number | null;
  readonly used: number;
  readonly today: number;
  readonly per_day: number | null;
  /** Time until the end of the day. */
  readonly day_ms: number;
  /** Time until the end of the cooldown, negative after it; null without a cooldown. */
  readonly cooling_ms: number | null;
  readonly cooldown_message: string | null;
  /** Another step is the probe, and its worker is alive. */
  readonly probed: boolean;
}

const COOLING_MS = `(extract(epoch FROM a.cooldown_until - clock_timestamp()) * 1000)::float8 AS cooling_ms`;

const USAGE = `
SELECT a.slots AS max_slots, ${USED_SLOTS} AS used, ${SPENT_TODAY} AS today, a.per_day_micro_usd AS per_day,
       (extract(epoch FROM (date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC')
          + interval '1 day') AT TIME ZONE 'UTC' - clock_timestamp()) * 1000)::float8 AS day_ms,
       ${COOLING_MS}, a.cooldown_message,
       coalesce(a.probe <> $6, false) AND EXISTS (
         SELECT 1 FROM raymond.holders h WHERE h.id = a.probed_by AND raymond.is_alive(h)) AS probed,
       EXISTS (SELECT 1 FROM raymond.slots s WHERE s.account = $1 AND s.holder = $2 AND s.run = $3
         AND s.agent = $4 AND s.process = $5) AS granted
  FROM raymond.accounts a WHERE a.name = $1`;

const DELETE_DEAD_SLOTS = `
DELETE FROM raymond.slots s WHERE s.account = $1 AND NOT EXISTS (
  SELECT 1 FROM raymond.holders h WHERE h.id = s.holder AND raymond.is_alive(h))`;

/** Uses the first free number. */
const ACQUIRE = `
INSERT INTO raymond.slots (account, number, holder, run, agent, process, acquired_at)
SELECT $1, coalesce(min(n), 1), $2, $3, $4, $5, clock_timestamp()
  FROM generate_series(1, (SELECT count(*) + 1 FROM raymond.slots WHERE account = $1)) AS n
 WHERE NOT EXISTS (SELECT 1 FROM raymond.slots WHERE account = $1 AND number = n)`;

interface Cooldown {
  readonly cooling_ms: number | null;
  readonly tries: number;
  /** This step is the probe. */
  readonly probes: boolean;
}

const COOLDOWN = `
SELECT ${COOLING_MS}, a.cooldown_tries AS tries, coalesce(a.probe = $2, false) AS probes
  FROM raymond.accounts a WHERE a.name = $1`;

const END_COOLDOWN = `UPDATE raymond.accounts SET cooldown_until = NULL, cooldown_message = NULL,
  cooldown_tries = 0, probe = NULL, probed_by = NULL WHERE name = $1`;
const END_PROBE = "UPDATE raymond.accounts SET probe = NULL, probed_by = NULL WHERE name = $1";
