import type { Clock } from "../ports/clock.ts";
import type { Database } from "../stores/postgres/database.ts";
import { type PlacementRow, runsAt } from "../stores/postgres/placed-runs.ts";
import { judgePlace, type MachineId, type Sight } from "../stores/postgres/placement.ts";
import type { Queues } from "../stores/postgres/queues.ts";

interface Reaping {
  readonly database: Database;
  readonly queues: Queues;
  /** This one, which is not looked at. */
  readonly machine: MachineId;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly until: AbortSignal;
  readonly tell: (line: string) => void;
}

/** Hands runs over whose machine is gone, as far as they may be elsewhere. Never rejects. */
export async function keepReaping(of: Reaping): Promise<void> {
  while (!of.until.aborted) {
    await reap(of).catch(() => undefined);
    await of.clock.sleep((of.ttlMs / 6) * (0.5 + Math.random()), of.until);
  }
}

/** Looks once at all machines. Two that look at the same time do no harm: a run is handed over by one of them. */
async function reap(of: Omit<Reaping, "clock" | "until">): Promise<void> {
  const { database, machine } = of;
  for (const { id, sight } of await machinesWithRuns(database, machine)) {
    for (const run of await runsAt(database, id)) {
      if (judgePlace(run, sight).kind === "hand-over") await handOver(run, id, of);
    }
  }
}

async function handOver(
  run: PlacementRow,
  from: MachineId,
  { database, queues, tell }: Pick<Reaping, "database" | "queues" | "tell">,
): Promise<void> {
  const mine = await database.transaction(async (on) => {
    // Whoever else hands it over waits for this, and then finds that it has no home any more.
    const [found] = await on.query<{ home: string | null }>(
      "SELECT home FROM raymond.runs WHERE id = $1 FOR UPDATE",
      [run.id],
    );
    if (found?.home !== from) return false;
    await on.query(
      "UPDATE raymond.runs SET home = NULL, holder = NULL, epoch = epoch + 1 WHERE id = $1",
      [run.id],
    );
    await queues.handOver(run.id, run.placement, null);
    return true;
  });
  if (!mine) return;
  tell(`${run.id}: handed over, as ${from} is gone`);
}

interface Silent {
  readonly id: MachineId;
  readonly sight: Sight | null;
}

/** Other machines with runs, and when they were heard, by the clock of the database. */
async function machinesWithRuns(database: Database, me: MachineId): Promise<readonly Silent[]> {
  const rows = await database.query<{ id: string; silent_ms: number | null; lives: boolean }>(
    `SELECT homes.home AS id, bool_or(raymond.lives(h)) AS lives,
            (extract(epoch FROM clock_timestamp() - max(h.heard_at)) * 1000)::float8 AS silent_ms
       FROM (SELECT DISTINCT home FROM raymond.runs
              WHERE status IN ('running', 'waiting') AND home IS NOT NULL AND home <> $1) homes
       LEFT JOIN raymond.holders h ON h.machine = homes.home
      GROUP BY homes.home`,
    [me],
  );
  return rows.map(({ id, silent_ms: silentMs, lives }) => ({
    id,
    sight: silentMs === null ? null : { silentMs, lives },
  }));
}
