import type { ControlRequest } from "../../engine/ports/control-request.ts";
import type { FleetAccount } from "../../inspect/fleet-board.ts";
import { fleetErrors } from "../errors.ts";
import type { Queries } from "../store/database.ts";
import type { AccountName } from "../store/rows/placement.ts";

export type Limits = FleetAccount["limits"];

export async function registerAccounts(on: Queries, names: readonly AccountName[]): Promise<void> {
  await on.query(
    "INSERT INTO raymond.accounts (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
    [names],
  );
}

/** Changes limits for all workers. Rejects with `fleet/unknown-account`. */
export async function changeLimits(
  on: Queries,
  name: AccountName,
  change: Partial<Limits>,
): Promise<FleetAccount> {
  await setLimits(on, name, change);
  const [changed] = await listAccounts(on, name);
  if (changed === undefined) {
    const known = (await listAccounts(on)).map((account) => account.name);
    throw fleetErrors["fleet/unknown-account"](name, known);
  }
  if (change.perDayMicroUsd !== undefined && changed.cooldown === null)
    await retryWaitingRuns(on, name);
  return changed;
}

/** Limits that are missing in `change` stay. */
export async function setLimits(
  on: Queries,
  name: AccountName,
  { runs, rate, slots, perDayMicroUsd }: Partial<Limits>,
): Promise<void> {
  const values = {
    ...(runs !== undefined && { max_runs: runs }),
    ...(rate !== undefined && { rate_runs: rate?.runs ?? null, rate_ms: rate?.ms ?? null }),
    ...(slots !== undefined && { slots }),
    ...(perDayMicroUsd !== undefined && { per_day_micro_usd: perDayMicroUsd }),
  };
  const columns = Object.keys(values);
  if (columns.length === 0) return;
  const set = columns.map((column, at) => `${column} = $${String(at + 2)}`).join(", ");
  await on.query(`UPDATE raymond.accounts SET ${set} WHERE name = $1`, [
    name,
    ...Object.values(values),
  ]);
}

/** Makes runs of an account that wait until a later time continue now. */
export async function retryWaitingRuns(on: Queries, account: AccountName): Promise<void> {
  const request: ControlRequest = { retry: "now" };
  await on.query(
    `INSERT INTO raymond.control_requests (run, request)
     SELECT id, $2 FROM raymond.runs WHERE account = $1 AND status IN ('running', 'waiting')
        AND waits_until::timestamptz > clock_timestamp()`,
    [account, JSON.stringify(request)],
  );
}

/** All registered accounts, or one, by name. */
export async function listAccounts(
  on: Queries,
  name: AccountName | null = null,
): Promise<readonly FleetAccount[]> {
  const rows = await on.query<AccountRow>(ACCOUNTS, [name]);
  return rows.map(({ limits, rate_runs: runs, rate_ms: ms, cooldown_until: until, ...row }) => {
    const { cooldown_message: message, ...account } = row;
    return {
      ...account,
      limits: { ...limits, rate: runs === null || ms === null ? null : { runs, ms } },
      cooldown: until === null ? null : { until, message: message ?? "" },
    };
  });
}

interface AccountRow extends Omit<FleetAccount, "limits" | "cooldown"> {
  readonly limits: Omit<Limits, "rate">;
  readonly rate_runs: number | null;
  readonly rate_ms: number | null;
  readonly cooldown_until: Date | null;
  readonly cooldown_message: string | null;
}

/** Runs in progress of the account `a`, except the run `$2`. */
export const ACTIVE_RUNS = `(SELECT count(*) FROM raymond.runs r
   WHERE r.account = a.name AND r.id IS DISTINCT FROM $2
     AND r.admitted_by IN (SELECT h.id FROM raymond.holders h WHERE raymond.is_alive(h)))::integer`;

/** Runs of the account `a` that started within the interval of its rate limit. */
export const STARTED_RUNS = `(SELECT count(*) FROM raymond.run_starts s WHERE s.account = a.name
    AND s.at > clock_timestamp() - a.rate_ms * interval '1 millisecond')::integer`;

/** Slots of the account `a` that live workers use. */
export const USED_SLOTS = `(SELECT count(*) FROM raymond.slots s JOIN raymond.holders h ON h.id = s.holder
   WHERE s.account = a.name AND raymond.is_alive(h))::integer`;

export const SPENT_TODAY = `coalesce((SELECT micro_usd FROM raymond.account_days d
   WHERE d.account = a.name AND d.day = (clock_timestamp() AT TIME ZONE 'UTC')::date), 0)`;

const ACCOUNTS = `
SELECT a.name, a.rate_runs, a.rate_ms, jsonb_build_object(
         'runs', a.max_runs, 'slots', a.slots, 'perDayMicroUsd', a.per_day_micro_usd) AS limits,
       a.cooldown_until, a.cooldown_message, ${USED_SLOTS} AS slots, ${SPENT_TODAY} AS "todayMicroUsd",
       ${ACTIVE_RUNS.replace("$2", "NULL::text")} AS runs, ${STARTED_RUNS} AS started,
       coalesce((SELECT array_agg(m.id ORDER BY m.id) FROM raymond.machines m
         JOIN raymond.holders h ON h.id = m.holder
        WHERE a.name = ANY(m.accounts) AND raymond.is_alive(h)), '{}') AS machines,
       (SELECT count(*) FROM raymond.waiters w JOIN raymond.holders h ON h.id = w.holder
         WHERE w.account = a.name AND raymond.is_alive(h))::integer AS waiting,
       ARRAY(SELECT w.run FROM raymond.waiters w JOIN raymond.holders h ON h.id = w.holder
         WHERE w.account = a.name AND raymond.is_alive(h)
         GROUP BY w.run ORDER BY min(w.since), w.run LIMIT 5) AS waiters
  FROM raymond.accounts a WHERE $1::text IS NULL OR a.name = $1 ORDER BY a.name`;
