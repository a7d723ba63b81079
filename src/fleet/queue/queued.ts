import type { Blocker } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/run-state.ts";
import { listMachines } from "../lease/machines.ts";
import type { Queries } from "../store/database.ts";
import { BEGINS_AT, EXPECTED, placementsOf } from "../store/rows/placed-runs.ts";
import { isTied, needsClient, tied } from "../store/rows/placement.ts";
import { listAccounts } from "./accounts.ts";
import { whyQueued } from "./admission/why-queued.ts";

/** Why a run that somebody is to go on with is in nobody's hands; nothing of any other. */
export async function heldInQueue(on: Queries, id: RunId): Promise<readonly Blocker[]> {
  const [facts] = await on.query<Facts>(FACTS, [id]);
  const [run] = facts === undefined ? [] : await placementsOf(on, [id]);
  if (facts === undefined || run === undefined) return [];
  const { account: name } = run.placement;
  const [account = null] = name === null ? [] : await listAccounts(on, name);
  const [counted] = await on.query<{ readonly before: number }>(BEFORE, [id]);
  return whyQueued({
    ...{ run, account, isTied: isTied(run), machines: await listMachines(on) },
    ...{ beginsAt: facts.beginsAt, hasStarted: facts.hasStarted, before: counted?.before ?? 0 },
  });
}

interface Facts {
  readonly beginsAt: number | null;
  readonly hasStarted: boolean;
}

const FACTS = `
SELECT ${BEGINS_AT} AS "beginsAt", EXISTS (SELECT 1 FROM raymond.run_starts b WHERE b.run = r.id) AS "hasStarted"
  FROM raymond.runs r LEFT JOIN raymond.holders h ON h.id = r.holder
 WHERE r.id = $1 AND ${EXPECTED}
   AND (h.id IS NULL OR NOT raymond.is_alive(h))`;

/** What tells the queue of a run, as `queueOf` does. */
const queue = (row: string) => `CASE
  WHEN ${row}.placement->>'pinned' IS NOT NULL THEN 'machine:' || (${row}.placement->>'pinned')
  WHEN ${tied(row)} THEN 'machine:' || ${row}.home
  ELSE concat(${needsClient(row)}, ${row}.pool, '/', ${row}.account) END`;

/** When it came there; what an older raymond has put there does not tell. */
const since = (row: string) =>
  `coalesce((${row}.placement->>'queuedAt')::float8, extract(epoch FROM ${row}.submitted_at) * 1000)`;

const BEFORE = `
SELECT count(*)::integer AS before FROM raymond.runs r JOIN raymond.runs o
    ON ${EXPECTED.replaceAll("r.", "o.")} AND o.id <> r.id
   AND (${queue("o")}) = (${queue("r")}) AND ${since("o")} < ${since("r")}
  LEFT JOIN raymond.holders h ON h.id = o.holder
 WHERE r.id = $1 AND (h.id IS NULL OR NOT raymond.is_alive(h))
   AND (${BEGINS_AT.replaceAll("r.", "o.")}) IS NULL`;
