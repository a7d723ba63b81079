import type { Database } from "../../../src/fleet/store/database.ts";
import type { FakeCall, FakeCharge, FakeClient } from "../../fixtures/fake-client.ts";
import { LIFE, type Life, type Machine, TTL_MS } from "./machine.ts";
import { MOST_A_CALL, type Whole } from "./work.ts";

/*
 * Invariants of costs:
 *
 * M1  Each cost that raymond has read is in the ledger once, as reported by the client. If the client reports totals,
 *     the cost of an interrupted call may be included in the next call as well (docs/budgets.md).
 * M2  A cost that is missing in the ledger could not be saved: its worker ended within the time in which a worker
 *     without a lease ends. If the client reports totals, the next call of the conversation includes it.
 * M3  Estimated costs belong to such calls, or to calls that were killed before they reported a cost.
 * M4  The totals of the run and of the day of its account match the ledger.
 */

/** An ended run with its database rows. */
export interface Paid {
  readonly id: string;
  readonly token: string;
  /** Total of the run, micro-dollars. */
  readonly cost: number;
  readonly estimated: number;
}

interface LedgerRow {
  readonly run: string;
  readonly process: number;
  readonly micro_usd: number;
  readonly estimated_micro_usd: number;
}

/** Costs of all runs. */
export interface Money {
  /** Violated invariants, one line each. */
  readonly problems: readonly string[];
  /** Costs that could not be saved, micro-dollars. */
  readonly lost: number;
  /** Costs that were counted twice, micro-dollars. */
  readonly twice: number;
}

/** Compares the costs that clients have charged with the recorded ones. */
export async function moneyOf(
  runs: ReadonlyMap<string, { readonly paid: Paid; readonly whole: Whole }>,
  database: Database,
  client: FakeClient,
  machines: readonly Machine[],
): Promise<Money> {
  const ledger = await database.query<LedgerRow>(
    "SELECT run, process, micro_usd, estimated_micro_usd FROM raymond.ledger WHERE run = ANY($1)",
    [[...runs.keys()]],
  );
  const all = (await client.charged()).map(inMicroUsd);
  const calls = await client.calls();
  const workers = workersOf(calls, machines);
  const problems: string[] = [];
  let [lost, twice] = [0, 0];
  for (const { paid, whole } of runs.values()) {
    const rows = ledger.filter(({ run }) => run === paid.id);
    const own = all.filter(({ token }) => token?.startsWith(`${paid.token}.`) === true);
    const charges = chargesByProcess(own);
    const say = (line: string) => problems.push(`${paid.id}: ${line}`);
    const known = new Map(rows.map((row) => [row.process, row]));
    if (known.size !== rows.length) say(`a process twice in the ledger: ${JSON.stringify(rows)}`);
    for (const [process, charge] of charges) {
      const row = known.get(process);
      if (row !== undefined && row.micro_usd > 0) {
        const bases = basesOf(charge, lineageOf(charge, calls), own, known);
        const expected = charge.total - (bases[0] ?? 0);
        twice += Math.max(0, row.micro_usd - expected);
        if (!bases.some((base) => row.micro_usd === charge.total - base))
          say(`${JSON.stringify(row)} instead of ${String(expected)}: ${JSON.stringify(charge)}`);
        continue;
      }
      lost += charge.cost;
      const life = workers.get(charge.token ?? "");
      // Its worker had died before.
      const endedAt = life === undefined ? charge.at : (life.endedAt ?? Number.POSITIVE_INFINITY);
      const late = endedAt - charge.at;
      if (late > TTL_MS + GRACE_MS)
        say(
          `not counted, and its worker (${String(life?.name)}) lived on for ${String(late)} ms: ${JSON.stringify(charge)}`,
        );
    }
    for (const row of rows) {
      const cut = row.estimated_micro_usd;
      if (row.micro_usd > 0 && whole.simulated === 0 && !charges.has(row.process))
        say(`no client charged ${JSON.stringify(row)}`);
      if (cut > 0 && (row.micro_usd > 0 || cut > MOST_A_CALL))
        say(`estimated, but also reported or too high: ${JSON.stringify(row)}`);
    }
    const sum = sumOf(rows, ({ micro_usd }) => micro_usd);
    const estimated = sumOf(rows, (row) => row.estimated_micro_usd);
    if (sum !== paid.cost || estimated !== paid.estimated)
      say(`its sums ${JSON.stringify(paid)}, of the ledger ${String(sum)}, ${String(estimated)}`);
    if (whole.simulated > 0 ? sum !== whole.simulated : sum < whole.asked)
      say(`it has cost ${String(sum)}`);
  }
  return { problems: [...problems, ...(await daysOff(database))], lost, twice };
}

/** Maximum time until a worker without a lease, or after SIGTERM, has ended, including hangs, ms. */
const GRACE_MS = 2 * TTL_MS + 28_000;

function inMicroUsd(charge: FakeCharge): FakeCharge {
  const [cost, before, total] = [charge.cost, charge.before, charge.total].map((usd) =>
    Math.round(usd * 1e6),
  ) as [number, number, number];
  return { ...charge, cost, before, total };
}

/** Charges by process. */
function chargesByProcess(own: readonly FakeCharge[]): ReadonlyMap<number, FakeCharge> {
  return new Map(own.map((charge) => [processOf(charge), charge]));
}

function processOf({ token }: FakeCharge): number {
  return Number(token?.split(".").at(-1));
}

/** Earlier totals of the conversation of a call and of those that it was forked from, last first. */
function basesOf(
  charge: FakeCharge,
  lineage: ReadonlySet<string>,
  own: readonly FakeCharge[],
  known: ReadonlyMap<number, LedgerRow>,
): readonly number[] {
  const counted = own.filter(
    (each) =>
      each !== charge &&
      lineage.has(each.session) &&
      each.total <= charge.before &&
      (known.get(processOf(each))?.micro_usd ?? 0) > 0,
  );
  return [0, ...counted.map(({ total }) => total)].toSorted((a, b) => b - a);
}

/** Its conversation, and those that it was forked from. */
function lineageOf({ session }: FakeCharge, calls: readonly FakeCall[]): ReadonlySet<string> {
  const found = new Set([session]);
  // The loop also visits elements that it adds.
  for (const each of found) {
    for (const { session: of, resumed } of calls) {
      if (of === each && resumed !== null) found.add(resumed);
    }
  }
  return found;
}

/** The worker of each call, by the token of its step. */
function workersOf(
  calls: readonly FakeCall[],
  machines: readonly Machine[],
): ReadonlyMap<string, Life> {
  const lives = new Map(machines.flatMap((each) => each.lives).map((life) => [life.name, life]));
  const found = calls.flatMap(({ env }): (readonly [string, Life])[] => {
    const life = lives.get(env[LIFE] ?? "");
    return life === undefined ? [] : [[env["RAYMOND_STEP_TOKEN"] ?? "", life]];
  });
  return new Map(found);
}

async function daysOff(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ account: string; days: number; spent: number }>(
    `SELECT account, sum(micro_usd + estimated_micro_usd)::bigint AS spent,
       (SELECT sum(d.micro_usd)::bigint FROM raymond.account_days d WHERE d.account = l.account) AS days
     FROM raymond.ledger l WHERE account IS NOT NULL GROUP BY account`,
  );
  return rows
    .filter(({ days, spent }) => days !== spent)
    .map((row) => `the days of an account: ${JSON.stringify(row)}`);
}

function sumOf<T>(rows: readonly T[], value: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + value(row), 0);
}
