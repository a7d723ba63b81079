import type { FleetScene } from "./fleet-scene.ts";
import { type Sample, sampleOf } from "./measure.ts";
import type { Row } from "./table.ts";

const ROUNDS = 5;

/** `raymond list --all` with many runs, compared with reading the same columns. */
export async function compareLists(
  { database, fleet }: FleetScene,
  count: number,
): Promise<readonly Row[]> {
  await database.query(
    `INSERT INTO raymond.runs (id, version, status, workflow, simulated, cost_micro_usd, steps, agents, started_at, updated_at, state)
     SELECT 'listed-' || n, 1, 'completed', '/srv/flows/tour', false, n, 3, 1, at, at, '{}'
     FROM (SELECT n, to_char(now() - n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
           FROM generate_series(1, $1::int) n) AS made`,
    [count],
  );
  await database.query("ANALYZE raymond.runs");
  const floor = await rounds(() =>
    database.query(
      "SELECT id, status, workflow, cost_micro_usd, steps, agents, started_at, updated_at FROM raymond.runs ORDER BY started_at DESC, id DESC",
    ),
  );
  const raymond = await rounds(() => fleet.store.list());
  const what = `list --all of ${String(count)} runs, against reading their rows`;
  return [{ what, floor, raymond, unit: "ms", target: null }];
}

async function rounds(act: () => Promise<unknown>): Promise<Sample> {
  const taken: number[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const began = performance.now();
    await act();
    if (round >= 0) taken.push(performance.now() - began);
  }
  return sampleOf(taken);
}
