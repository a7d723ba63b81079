import type { Clock } from "../ports/clock.ts";
import type { Database } from "../stores/postgres/database.ts";
import { goneHomes } from "../stores/postgres/gone-homes.ts";
import { forgetHolders } from "../stores/postgres/holders.ts";
import {
  type PlacementRow,
  placementsOf,
  runsAt,
  unqueuedRuns,
} from "../stores/postgres/placed-runs.ts";
import { isTied, judgePlace, type MachineId } from "../stores/postgres/placement.ts";
import type { Claim, Queues } from "../stores/postgres/queues.ts";
import { handOver } from "./hand-over.ts";
import { finishMoves } from "./moves.ts";
import { queueRun } from "./queue-run.ts";

/*
 * What else would wait for ever, every worker looks for:
 *
 * X1  A run at home on a machine that is gone, and that may be elsewhere.
 * X2  A run that a machine was handed, and died before it was at home there.
 * X3  A run that this machine was handed, and never heard of: the answer of the database was lost.
 * X4  A run that was to be put into a queue by somebody who died before that.
 * X5  A run whose move was requested, and that no process holds any more.
 *
 * Two that look at the same time do no harm: a run is handed over by one of them, and enqueued once.
 */

interface Reaping {
  readonly database: Database;
  readonly queues: Queues;
  /** This one. */
  readonly machine: MachineId;
  /** What this machine was handed and has heard of, by the names of DBOS. */
  readonly heardOf: ReadonlySet<string>;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly until: AbortSignal;
  readonly tell: (line: string) => void;
}

/** Hands runs over whose machine is gone, as far as they may be elsewhere, and forgets processes that are long gone. Never rejects. */
export async function keepReaping(of: Reaping): Promise<void> {
  const { ttlMs, until, clock } = of;
  let claims: SeenClaims = { seen: 0, unheard: new Set() };
  let claimsDue = Number.NEGATIVE_INFINITY;
  let swept = Number.NEGATIVE_INFINITY;
  while (!until.aborted) {
    if (clock.elapsed() - swept > SWEEP_MS) {
      await forgetHolders(of.database).catch(() => undefined);
      swept = clock.elapsed();
    }
    await reapHomes(of).catch(() => undefined);
    await finishRequestedMoves(of).catch(() => undefined);
    await queueForgotten(of).catch(() => undefined);
    if (clock.elapsed() >= claimsDue) {
      claims = await reapClaims(of, claims.unheard).catch(() => ({ seen: 0, unheard: new Set() }));
      claimsDue = clock.elapsed() + claims.seen * CLAIM_MS;
    }
    await clock.sleep((ttlMs / 6) * (0.5 + Math.random()), until);
  }
}

/** Between two looks for rows of the dead, ms. */
const SWEEP_MS = 3_600_000;

/** Between two looks at claims, for each that was seen, ms: a worker with thousands must not read all of them every few seconds. */
const CLAIM_MS = 10;

/** X1 */
async function reapHomes(of: Reaping): Promise<void> {
  const { database, machine, tell } = of;
  for (const { id, sight } of await goneHomes(database, machine)) {
    for (const run of await runsAt(database, id)) {
      if (judgePlace(run, sight).kind !== "hand-over") continue;
      if (await handOver(run, of)) tell(`${run.id}: handed over, as ${id} is gone`);
    }
  }
}

/** X5 */
async function finishRequestedMoves(of: Reaping): Promise<void> {
  for (const id of await finishMoves(null, of)) of.tell(`${id}: moved, as requested`);
}

/** X4 */
async function queueForgotten(of: Reaping): Promise<void> {
  for (const run of await unqueuedRuns(of.database)) await queueRun(run, of);
}

/** A look at claims. */
interface SeenClaims {
  readonly seen: number;
  /** Of this machine, those that it has not heard of, by their names. */
  readonly unheard: ReadonlySet<string>;
}

/** X2, X3. `before`: what was not heard of here at the last look. */
async function reapClaims(of: Reaping, before: ReadonlySet<string>): Promise<SeenClaims> {
  const { database, queues, machine, heardOf, tell } = of;
  const gone = await goneMachines(database);
  const claims = await queues.claimsOf([machine, ...gone]);
  const unheard = claims.filter((claim) => claim.machine === machine && !heardOf.has(claim.name));
  const suspects = claims.filter((claim) => claim.machine !== machine || before.has(claim.name));
  const lost = suspects.filter((claim) => !heardOf.has(claim.name));
  const runs = await placementsOf(
    database,
    lost.map(({ run }) => run),
  );
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const claim of lost) {
    const run = byId.get(claim.run);
    if (run === undefined || run.placement.go !== claim.go || !isStranded(run, claim, of)) continue;
    if (await handOver(run, of)) tell(`${run.id}: enqueued again, as ${claim.machine} lost it`);
  }
  return { seen: claims.length, unheard: new Set(unheard.map(({ name }) => name)) };
}

/** Whether nothing else would go on with a run that this machine, or one that is gone, was handed. */
function isStranded(run: PlacementRow, claim: Claim, { machine }: Reaping): boolean {
  const { home, placement, status } = run;
  if (claim.machine === machine) return true;
  // Its machine is given time to come back (X1), and begins it then.
  if (home === claim.machine && (status === "running" || status === "waiting")) return false;
  return placement.pinned === null && !isTied(run);
}

/** Machines that have no worker that lives. */
async function goneMachines(database: Database): Promise<readonly MachineId[]> {
  const rows = await database.query<{ id: MachineId }>(
    `SELECT m.id FROM raymond.machines m LEFT JOIN raymond.holders h ON h.id = m.holder
      WHERE NOT coalesce(raymond.lives(h), false)`,
  );
  return rows.map(({ id }) => id);
}
