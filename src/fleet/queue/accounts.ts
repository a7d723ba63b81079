import type { MicroUsd } from "../../language/basics/money.ts";
import type { Rate } from "../../language/basics/rate.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { Queries } from "../store/database.ts";
import type { AccountName, MachineId } from "../store/rows/placement.ts";

/** What an account may do; null: as much as there is. */
export interface Limits {
  /** Runs that go on at once. */
  readonly runs: number | null;
  readonly rate: Rate | null;
  /** Processes of the client at once. */
  readonly slots: number | null;
  /** What its prompts may cost on one day, by the database's clock in UTC. */
  readonly perDayMicroUsd: MicroUsd | null;
}

/** An account, with what it does now. */
export interface AccountStatus {
  readonly name: AccountName;
  /** Machines that live and have it. */
  readonly machines: readonly MachineId[];
  readonly limits: Limits;
  /** Runs that go on. */
  readonly runs: number;
  /** Runs that have begun within the span of its rate; 0 without one. */
  readonly started: number;
  /** Processes of its clients. */
  readonly slots: number;
  readonly todayMicroUsd: MicroUsd;
  /** Runs and steps that wait for one of these limits. */
  readonly waiting: number;
  /** The runs that wait longest for them: some. */
  readonly waiters: readonly RunId[];
  /** The usage limit that it has met, where that is not known to be over. */
  readonly cooldown: { readonly until: Date; readonly message: string } | null;
}

/** Records that there are such accounts. */
export async function registerAccounts(on: Queries, names: readonly AccountName[]): Promise<void> {
  await on.query(
    "INSERT INTO raymond.accounts (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
    [names],
  );
}

/** Changes what is given, and leaves the rest. */
export async function setLimits(
  on: Queries,
  name: AccountName,
  change: Partial<Limits>,
): Promise<void> {
  const { runs, rate, slots, perDayMicroUsd } = change;
  const given = {
    ...(runs !== undefined && { max_runs: runs }),
    ...(rate !== undefined && { rate_runs: rate?.runs ?? null, rate_ms: rate?.ms ?? null }),
    ...(slots !== undefined && { slots }),
    ...(perDayMicroUsd !== undefined && { per_day_micro_usd: perDayMicroUsd }),
  };
  const columns = Object.keys(given);
  if (columns.length === 0) return;
  const set = columns.map((column, at) => `${column} = $${String(at + 2)}`).join(", ");
  await on.query(`UPDATE raymond.accounts SET ${set} WHERE name = $1`, [
    name,
    ...Object.values(given),
  ]);
}

/** All accounts that a worker has ever had, or one, by their names. */
export async function listAccounts(
  on: Queries,
  name: AccountName | null = null,
): Promise<readonly AccountStatus[]> {
  const rows = await on.query<AccountRow>(SEEN, [name]);
  return rows.map(
    ({
      name: account,
      machines,
      runs,
      started,
      slots,
      today,
      waiting,
      waiters,
      ...row
    }): AccountStatus => ({
      ...{ name: account, machines, runs, started, slots, waiting, waiters },
      todayMicroUsd: today,
      limits: {
        runs: row.max_runs,
        rate:
          row.rate_runs === null || row.rate_ms === null
            ? null
            : { runs: row.rate_runs, ms: row.rate_ms },
        slots: row.max_slots,
        perDayMicroUsd: row.per_day_micro_usd,
      },
      cooldown:
        row.cooldown_until === null
          ? null
          : { until: row.cooldown_until, message: row.cooldown_message ?? "" },
    }),
  );
}

interface AccountRow extends Omit<AccountStatus, "limits" | "todayMicroUsd" | "cooldown"> {
  readonly today: number;
  readonly max_runs: number | null;
  readonly rate_runs: number | null;
  readonly rate_ms: number | null;
  readonly max_slots: number | null;
  readonly per_day_micro_usd: number | null;
  readonly cooldown_until: Date | null;
  readonly cooldown_message: string | null;
}

/** Runs of the account `a` that go on, and `$2` is none of them. */
export const ACTIVE_RUNS = `(SELECT count(*) FROM raymond.runs r
   WHERE r.account = a.name AND r.id IS DISTINCT FROM $2
     AND r.admitted_by IN (SELECT h.id FROM raymond.holders h WHERE raymond.is_alive(h)))::integer`;

/** Runs of the account `a` that have begun within the span of its rate. */
export const STARTED_RUNS = `(SELECT count(*) FROM raymond.run_starts b WHERE b.account = a.name
    AND b.at > clock_timestamp() - a.rate_ms * interval '1 millisecond')::integer`;

/** Slots of the account `a` that somebody has who lives. */
export const USED_SLOTS = `(SELECT count(*) FROM raymond.slots s JOIN raymond.holders h ON h.id = s.holder
   WHERE s.account = a.name AND raymond.is_alive(h))::integer`;

/** What the account `a` has cost today. */
export const SPENT_TODAY = `coalesce((SELECT micro_usd FROM raymond.account_days d
   WHERE d.account = a.name AND d.day = (clock_timestamp() AT TIME ZONE 'UTC')::date), 0)`;

const SEEN = `
SELECT a.name, a.max_runs, a.rate_runs, a.rate_ms, a.slots AS max_slots, a.per_day_micro_usd,
       a.cooldown_until, a.cooldown_message, ${USED_SLOTS} AS slots, ${SPENT_TODAY} AS today,
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
