import type { ControlRequest } from "../../../engine/ports/control-request.ts";
import { formatUsd } from "../../../language/basics/money.ts";
import { nextLimitRetryAt } from "../../../machine/wait/wait.ts";
import type { Database, Queries } from "../../store/database.ts";
import { SPENT_TODAY, USED_SLOTS } from "../accounts.ts";
import { recordWaiting, type Waiter } from "./admissions.ts";

/*
 * When a prompt step of an account may start, over all machines:
 *
 * S1  Whoever asks has the row of the account locked, and counts after that. So no two have the same slot, and
 *     a limit that is set while steps are under way counts those as well.
 * S2  A slot is held by a worker for one process. When the worker is dead it is free.
 * S3  A usage limit that one step has met stops those that are about to start until it should be over. Then
 *     one goes first; the others wait for what becomes of it (docs/budgets.md, "Usage limits").
 * S4  What is under way ends, whatever it costs. Money that is used up stops those that are about to start
 *     until the next day.
 */

/** A step that is about to start its client, and the worker that would do that. */
export interface SlotRequest extends Waiter {
  /** Number of its process: unique in its run. */
  readonly process: number;
}

/** What becomes of a step that is about to start. */
export type SlotDecision =
  | { readonly kind: "granted" }
  /** Not before so many ms, for a reason that ends by itself then. */
  | { readonly kind: "limited"; readonly ms: number; readonly message: string }
  /** Not yet: it asks again. */
  | { readonly kind: "wait" };

/** Whether a step may start its client: then it has a slot. Asked twice it is as once. */
export function requestSlot(database: Database, step: SlotRequest): Promise<SlotDecision> {
  const { account, holder, run, agent, process } = step;
  return database.transaction(async (on) => {
    await lockAccount(on, account);
    const [now] = await on.query<Now>(NOW, [account, holder, run, agent, process, probeOf(step)]);
    if (now === undefined || now.mine) return { kind: "granted" };
    const limited = limitOf(step, now);
    if (limited !== null) {
      await stopWaiting(on, step);
      return limited;
    }
    const { cooling_ms: left } = now;
    const full = now.max_slots !== null && now.taken >= now.max_slots;
    if ((left !== null && (left > 0 || now.probed)) || full) {
      await recordWaiting(on, step);
      return { kind: "wait" };
    }
    await on.query(CLEAR, [account]);
    await on.query(TAKE, [account, holder, run, agent, process]);
    if (left !== null) {
      await on.query("UPDATE raymond.accounts SET probed_by = $2, probe = $3 WHERE name = $1", [
        account,
        holder,
        probeOf(step),
      ]);
    }
    await stopWaiting(on, step);
    return { kind: "granted" };
  });
}

/** Gives up what a step waits for, and will not have. */
export function stopWaiting(on: Queries, { run, agent, holder }: Waiter): Promise<unknown> {
  return on.query("DELETE FROM raymond.waiters WHERE run = $1 AND agent = $2 AND holder = $3", [
    run,
    agent,
    holder,
  ]);
}

/** What a client has told of its account. */
export type ClientReport =
  /** It got through to the model. */
  | { readonly kind: "through" }
  /** A usage limit, which ends then (epoch ms), where that was said. */
  | { readonly kind: "limit"; readonly resetsAt: number | null; readonly message: string }
  | { readonly kind: "nothing" };

/** The client of a step has ended: its slot is free, and the account knows what it has told. `at`: epoch ms, here. */
export function releaseSlot(
  database: Database,
  step: SlotRequest,
  report: ClientReport,
  at: number,
): Promise<void> {
  const { account, holder, run, agent, process } = step;
  return database.transaction(async (on) => {
    await lockAccount(on, account);
    const freed = await on.query(
      `DELETE FROM raymond.slots WHERE account = $1 AND holder = $2 AND run = $3 AND agent = $4
          AND process = $5 RETURNING 1`,
      [account, holder, run, agent, process],
    );
    // The answer was lost the first time, and what it has told is known.
    if (freed.length === 0) return;
    const [known] = await on.query<Known>(KNOWN, [account, probeOf(step)]);
    if (report.kind === "limit") await cool(on, account, report, at, known);
    else if (known?.probes !== true) return;
    else if (report.kind === "nothing") await on.query(NO_PROBE, [account]);
    else {
      await on.query(WARM, [account]);
      await retryWaitingRuns(on, account);
    }
  });
}

/** Somebody asks not to wait for the end of the usage limit that the account of a run has met. */
export async function endCooldown(on: Queries, run: string): Promise<void> {
  await on.query(
    `UPDATE raymond.accounts SET cooldown_until = clock_timestamp()
      WHERE cooldown_until > clock_timestamp()
        AND name = (SELECT account FROM raymond.runs WHERE id = $1)`,
    [run],
  );
}

/** Runs of an account that wait for a moment need not any more. */
export async function retryWaitingRuns(on: Queries, account: string): Promise<void> {
  const request: ControlRequest = { retry: "now" };
  await on.query(
    `INSERT INTO raymond.control_requests (run, request)
     SELECT id, $2 FROM raymond.runs WHERE account = $1 AND status IN ('running', 'waiting')
        AND waits_until::timestamptz > clock_timestamp()`,
    [account, JSON.stringify(request)],
  );
}

async function cool(
  on: Queries,
  account: string,
  { resetsAt, message }: Extract<ClientReport, { kind: "limit" }>,
  at: number,
  known: Known | undefined,
): Promise<void> {
  const { cooling_ms: left = null, tries = 0, probes = false } = known ?? {};
  // A step that began before the wait only says again what is known.
  const again = left !== null && !probes;
  const until = nextLimitRetryAt(resetsAt, at, again ? Math.max(1, tries) : tries + 1);
  const ms = again && resetsAt === null ? left : Math.max(until - at, again ? left : 0);
  await on.query(
    `UPDATE raymond.accounts SET cooldown_until = clock_timestamp() + $2 * interval '1 millisecond',
       cooldown_message = $3, cooldown_tries = $4, probe = NULL, probed_by = NULL WHERE name = $1`,
    [account, ms, message, again ? tries : tries + 1],
  );
}

function limitOf(
  { account }: SlotRequest,
  { today, per_day, day_ms, cooling_ms, cooldown_message }: Now,
): Extract<SlotDecision, { kind: "limited" }> | null {
  if (per_day !== null && today >= per_day) {
    const message = `Account ${account} has spent ${formatUsd(today)} of its daily budget of ${formatUsd(per_day)} (UTC).`;
    return { kind: "limited", ms: day_ms, message };
  }
  if (cooling_ms === null || cooling_ms <= SOON_MS) return null;
  return {
    kind: "limited",
    ms: cooling_ms,
    message: `A run of account ${account} has reached a usage limit: ${cooldown_message ?? ""}`,
  };
}

/** What is left of a wait that is not worth to be told as one: clocks differ as well. */
const SOON_MS = 3_000;

/** Names the probe of an account. */
function probeOf({ run, agent, process }: SlotRequest): string {
  return `${run}/${agent}/${String(process)}`;
}

async function lockAccount(on: Queries, account: string): Promise<void> {
  await on.query("SELECT 1 FROM raymond.accounts WHERE name = $1 FOR UPDATE", [account]);
}

interface Now {
  /** It has its slot already: the answer was lost. */
  readonly mine: boolean;
  readonly max_slots: number | null;
  readonly taken: number;
  readonly today: number;
  readonly per_day: number | null;
  /** What is left of this day. */
  readonly day_ms: number;
  /** What is left of the wait for a usage limit: 0 and less, until one got through; null without one. */
  readonly cooling_ms: number | null;
  readonly cooldown_message: string | null;
  /** Another goes first, and its worker lives. */
  readonly probed: boolean;
}

const COOLING = `(extract(epoch FROM a.cooldown_until - clock_timestamp()) * 1000)::float8 AS cooling_ms`;

const NOW = `
SELECT a.slots AS max_slots, ${USED_SLOTS} AS taken, ${SPENT_TODAY} AS today, a.per_day_micro_usd AS per_day,
       (extract(epoch FROM (date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC')
          + interval '1 day') AT TIME ZONE 'UTC' - clock_timestamp()) * 1000)::float8 AS day_ms,
       ${COOLING}, a.cooldown_message,
       coalesce(a.probe <> $6, false) AND EXISTS (
         SELECT 1 FROM raymond.holders h WHERE h.id = a.probed_by AND raymond.is_alive(h)) AS probed,
       EXISTS (SELECT 1 FROM raymond.slots s WHERE s.account = $1 AND s.holder = $2 AND s.run = $3
         AND s.agent = $4 AND s.process = $5) AS mine
  FROM raymond.accounts a WHERE a.name = $1`;

/** Those of workers that are dead. */
const CLEAR = `
DELETE FROM raymond.slots s WHERE s.account = $1 AND NOT EXISTS (
  SELECT 1 FROM raymond.holders h WHERE h.id = s.holder AND raymond.is_alive(h))`;

/** The first number that is free. */
const TAKE = `
INSERT INTO raymond.slots (account, number, holder, run, agent, process, acquired_at)
SELECT $1, coalesce(min(n), 1), $2, $3, $4, $5, clock_timestamp()
  FROM generate_series(1, (SELECT count(*) + 1 FROM raymond.slots WHERE account = $1)) AS n
 WHERE NOT EXISTS (SELECT 1 FROM raymond.slots WHERE account = $1 AND number = n)`;

interface Known {
  readonly cooling_ms: number | null;
  readonly tries: number;
  /** This step is the one that went first. */
  readonly probes: boolean;
}

const KNOWN = `
SELECT ${COOLING}, a.cooldown_tries AS tries, coalesce(a.probe = $2, false) AS probes
  FROM raymond.accounts a WHERE a.name = $1`;

const WARM = `UPDATE raymond.accounts SET cooldown_until = NULL, cooldown_message = NULL, cooldown_tries = 0,
  probe = NULL, probed_by = NULL WHERE name = $1`;
const NO_PROBE = "UPDATE raymond.accounts SET probe = NULL, probed_by = NULL WHERE name = $1";
