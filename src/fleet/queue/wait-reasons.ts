import type { Blocker } from "../../engine/ports/store.ts";
import type { FleetAccount } from "../../inspect/fleet-board.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import { listMachines } from "../lease/machines.ts";
import type { Queries } from "../store/database.ts";
import { EXPECTED, placementsOf, STARTS_AT } from "../store/rows/placed-runs.ts";
import { isTied, needsClient, tied } from "../store/rows/placement.ts";
import { listAccounts } from "./accounts.ts";
import { whyQueued } from "./admission/why-queued.ts";

/** Reasons outside the state of a run why it, or a step in progress, waits. */
export async function waitReasons(on: Queries, id: RunId): Promise<readonly Blocker[]> {
  return [
    ...(await queueReasons(on, id)),
    ...(await homeReasons(on, id)),
    ...(await slotReasons(on, id)),
  ];
}

/** Why no worker has claimed a queued run. */
async function queueReasons(on: Queries, id: RunId): Promise<readonly Blocker[]> {
  const [queued] = await on.query<{ startsAt: number | null; hasStarted: boolean }>(QUEUED, [id]);
  const [run] = queued === undefined ? [] : await placementsOf(on, [id]);
  if (queued === undefined || run === undefined) return [];
  const { account: name } = run.placement;
  const [account = null] = name === null ? [] : await listAccounts(on, name);
  const [counted] = await on.query<{ readonly before: number }>(BEFORE, [id]);
  return whyQueued({
    ...{ ...queued, run, account, isTied: isTied(run), machines: await listMachines(on) },
    before: counted?.before ?? 0,
  });
}

const QUEUED = `
SELECT ${STARTS_AT} AS "startsAt", EXISTS (SELECT 1 FROM raymond.run_starts s WHERE s.run = r.id) AS "hasStarted"
  FROM raymond.runs r LEFT JOIN raymond.holders h ON h.id = r.holder
 WHERE r.id = $1 AND ${EXPECTED}
   AND (h.id IS NULL OR NOT raymond.is_alive(h))`;

/** Equal for runs in the same queue (`queueOf`). */
const queue = (row: string) => `CASE
  WHEN ${row}.placement->>'pinned' IS NOT NULL THEN 'machine:' || (${row}.placement->>'pinned')
  WHEN ${tied(row)} THEN 'machine:' || ${row}.home
  ELSE concat(${needsClient(row)}, ${row}.pool, '/', ${row}.account) END`;

const queuedAt = (row: string) =>
  `coalesce((${row}.placement->>'queuedAt')::float8, extract(epoch FROM ${row}.submitted_at) * 1000)`;

const BEFORE = `
SELECT count(*)::integer AS before FROM raymond.runs r JOIN raymond.runs o
    ON ${EXPECTED.replaceAll("r.", "o.")} AND o.id <> r.id
   AND (${queue("o")}) = (${queue("r")}) AND ${queuedAt("o")} < ${queuedAt("r")}
  LEFT JOIN raymond.holders h ON h.id = o.holder
 WHERE r.id = $1 AND (h.id IS NULL OR NOT raymond.is_alive(h))
   AND (${STARTS_AT.replaceAll("r.", "o.")}) IS NULL`;

/** Why a run whose home is alive cannot move to another machine, although its workspace could. */
async function homeReasons(on: Queries, id: RunId): Promise<readonly Blocker[]> {
  const rows = await on.query<{ home: string; behind: string }>(UNPUSHED, [id]);
  return rows.map(({ home, behind }) => ({
    agent: null,
    message: `can run only on ${home}: its last files could not be pushed: ${behind}`,
  }));
}

const UNPUSHED = `
SELECT r.home, r.placement->'snapshot'->>'behind' AS behind
  FROM raymond.runs r JOIN raymond.machines m ON m.id = r.home JOIN raymond.holders h ON h.id = m.holder
 WHERE r.id = $1 AND r.placement->'snapshot'->>'behind' IS NOT NULL AND r.placement @> '{"open": true}'
   AND raymond.is_alive(h)`;

/** Why steps in progress have not started their clients yet. */
async function slotReasons(on: Queries, id: RunId): Promise<readonly Blocker[]> {
  const steps = await on.query<{ agent: string; account: string }>(WAITING_STEPS, [id]);
  const [first] = steps;
  const [account] = first === undefined ? [] : await listAccounts(on, first.account);
  if (account === undefined) return [];
  const message = slotWords(account);
  return steps.map(({ agent }) => ({ agent, message }));
}

function slotWords({ name, slots, cooldown, limits: { slots: most } }: FleetAccount): string {
  if (cooldown !== null) {
    return `waits for the first prompt of account ${name} after its usage limit`;
  }
  const used = most === null ? "" : ` (${String(slots)} of ${String(most)} in use)`;
  return `waits for a slot of account ${name}${used}`;
}

const WAITING_STEPS = `
SELECT w.agent, w.account FROM raymond.waiters w JOIN raymond.holders h ON h.id = w.holder
 WHERE w.run = $1 AND w.agent <> '' AND raymond.is_alive(h) ORDER BY w.agent`;
