import type { QueuedRun } from "../../../engine/ports/store.ts";
import type { RunId, RunStatus } from "../../../machine/model/run-state.ts";
import { fleetErrors } from "../../errors.ts";
import type { Queries } from "../database.ts";
import { MOVE_REQUESTED } from "./moves.ts";
import {
  type MachineId,
  PLACEMENT,
  type PlacedRun,
  type Placement,
  type PlacementColumn,
  type QueueEntry,
  tied,
} from "./placement.ts";

export interface FleetWorkflow {
  /** SHA-256 of the bytes, in lower-case hex. */
  readonly hash: string;
  /** Name of its folder or file. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** A run with its placement as the database has it. */
export interface PlacementRow extends PlacedRun, Pick<PlacementColumn, "claims" | "open" | "move"> {
  /** Null of a run that was not submitted. */
  readonly workflow: Pick<FleetWorkflow, "hash" | "name"> | null;
  /** Start time of the database server. */
  readonly server: string;
  /** Why no worker may claim it; null: workers may. */
  readonly setAside: string | null;
  /** Null before the first save. */
  readonly status: RunStatus | null;
}

/** Reads the column `placement`. Null for a run that was not submitted. */
export function readPlacement(json: unknown) {
  const { data } = PLACEMENT.safeParse(json);
  if (data === undefined) return null;
  const { claims, open, move, snapshot, ...placement } = data;
  return { placement, claims, snapshot, open, move };
}

export async function storeWorkflow(
  on: Queries,
  { hash, name, bytes }: FleetWorkflow,
): Promise<void> {
  await on.query(
    "INSERT INTO raymond.workflows (hash, name, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    [hash, name, bytes],
  );
}

export async function fetchWorkflow(on: Queries, hash: string): Promise<Buffer> {
  const [row] = await on.query<{ bytes: Buffer }>(
    "SELECT bytes FROM raymond.workflows WHERE hash = $1",
    [hash],
  );
  if (row === undefined) throw new Error(`the fleet has no workflow ${hash}`);
  return row.bytes;
}

/** Records the placement of a new run. The caller enqueues the run. */
export async function placeRun(
  on: Queries,
  id: RunId,
  placement: Placement,
  hash: string,
): Promise<void> {
  const { pool, account } = placement;
  await on.query(
    `UPDATE raymond.runs SET pool = $2, account = $3, workflow_hash = $4, placement = $5, submitted_at = now()
      WHERE id = $1`,
    [id, pool, account, hash, JSON.stringify({ ...placement, open: true, queued: false })],
  );
}

/** Null if the run was not submitted. Rejects with `fleet/newer-run`. */
export async function findPlacement(on: Queries, id: RunId): Promise<PlacementRow | null> {
  const [row] = await on.query<PlacedColumns>(`${SELECT} WHERE runs.id = $1`, [id]);
  return row === undefined || row.submitted_at === null ? null : requirePlacement(row);
}

/** Throws `fleet/newer-run`. */
export function requirePlacement(row: PlacedColumns): PlacementRow {
  const read = rowOf(row);
  if (read === null) throw fleetErrors["fleet/newer-run"](row.id);
  return read;
}

/** Running and waiting runs whose files are on a machine. */
export function runsAt(on: Queries, home: MachineId): Promise<readonly PlacementRow[]> {
  return readable(
    on,
    "runs.home = $1 AND runs.status IN ('running', 'waiting') AND runs.set_aside IS NULL",
    [home],
  );
}

/** The placements of these runs, as far as this version can read them. */
export function placementsOf(on: Queries, ids: readonly RunId[]): Promise<readonly PlacementRow[]> {
  return readable(on, "runs.id = ANY($1)", [ids]);
}

/** Runs that may be missing in their queues, because a process died before it enqueued them. */
export function unqueuedRuns(on: Queries): Promise<readonly PlacementRow[]> {
  // The condition of the index runs_unqueued.
  return readable(
    on,
    `runs.placement @> '{"open": true, "queued": false}' AND NOT ${MOVE_REQUESTED.replaceAll("r.", "runs.")}`,
    [],
  );
}

async function readable(
  on: Queries,
  where: string,
  values: readonly unknown[],
): Promise<readonly PlacementRow[]> {
  const rows = await on.query<PlacedColumns>(`${SELECT} WHERE ${where}`, values);
  return rows.flatMap((row) => rowOf(row) ?? []);
}

/** Records that this entry of a run is in its queue. */
export async function markQueued(on: Queries, id: RunId, entry: number): Promise<void> {
  await on.query(
    `UPDATE raymond.runs SET placement = placement || jsonb_build_object('queued', true,
            'queuedAt', extract(epoch FROM clock_timestamp()) * 1000)
      WHERE id = $1 AND placement @> jsonb_build_object('entry', $2::int) AND NOT placement @> '{"move": {}}'`,
    [id, entry],
  );
}

/** A run that this process holds: changes apply only while no other process has claimed it. */
export interface HeldRun {
  readonly id: RunId;
  readonly holder: number;
}

/** The queue entry of a run whose placement may be unreadable for this version. */
export interface RequeuedEntry {
  readonly queued: QueueEntry;
  /** The only machine that may claim it. */
  readonly only: MachineId | null;
}

/** Replaces the queue entry of a run, so that another worker claims it. Null if it was replaced before. */
export async function requeueRow(
  on: Queries,
  id: RunId,
  entry: number,
): Promise<RequeuedEntry | null> {
  const [row] = await on.query<QueueEntry & { readonly only: string | null }>(
    `UPDATE raymond.runs SET placement = placement || jsonb_build_object('entry', $2::int + 1, 'queued', false)
      WHERE id = $1 AND placement @> jsonb_build_object('entry', $2::int, 'open', true)
      RETURNING placement->>'pool' AS pool, placement->>'account' AS account,
        placement->>'pinned' AS pinned, (placement->>'entry')::int AS entry,
        CASE WHEN placement @> '{"withoutClient": true}' THEN true END AS "withoutClient",
        CASE WHEN ${tied("runs")} THEN home END AS only`,
    [id, entry],
  );
  if (row === undefined) return null;
  const { only, ...queued } = row;
  return { queued, only };
}

type PlacementChange = Partial<PlacementColumn> & {
  /** Whether its entry is in its queue. */
  readonly queued?: boolean;
};

/** With `holder`, only while that process holds the run. */
export async function changePlacement(
  on: Queries,
  id: RunId,
  change: PlacementChange,
  holder: number | null = null,
): Promise<void> {
  await on.query(
    `UPDATE raymond.runs SET placement = placement || $2::jsonb
      WHERE id = $1 AND ($3::bigint IS NULL OR holder = $3)`,
    [id, JSON.stringify(change), holder],
  );
}

export async function expectedRuns(on: Queries): Promise<ReadonlyMap<RunId, QueuedRun>> {
  const rows = await on.query<QueuedRun & { readonly id: RunId }>(
    `SELECT id, ${STARTS_AT} AS "startsAt" FROM raymond.runs r WHERE ${EXPECTED}`,
  );
  return new Map(rows.map(({ id, startsAt }) => [id, { startsAt }]));
}

/** SQL condition: a worker is to run `r`. A stopped run that was requeued has not been claimed since. */
export const EXPECTED = `r.status <> 'completed' AND r.placement @> '{"open": true}'
  AND (r.status IN ('running', 'waiting') OR r.placement @> '{"claims": {"steps": null}}')`;

/** Scheduled start of the run `r`, epoch ms; null if it has passed or does not exist. */
export const STARTS_AT = `CASE WHEN r.home IS NULL
  AND (r.placement->>'at')::float8 > extract(epoch FROM clock_timestamp()) * 1000
  THEN (r.placement->>'at')::float8 END`;

/** Records why no worker may claim a run any more. */
export async function setAside(on: Queries, { id, holder }: HeldRun, why: string): Promise<void> {
  await on.query("UPDATE raymond.runs SET set_aside = $3 WHERE id = $1 AND holder = $2", [
    id,
    holder,
    why,
  ]);
}

export async function clearSetAside(on: Queries, id: RunId): Promise<void> {
  await on.query("UPDATE raymond.runs SET set_aside = NULL WHERE id = $1", [id]);
}

/** The columns of a {@link PlacementRow}, of the tables `runs` and `workflows`. */
export const PLACED_COLUMNS = `runs.id, runs.placement, runs.home, runs.workflow_hash AS hash, runs.set_aside,
  runs.status, runs.submitted_at, workflows.name, extract(epoch FROM pg_postmaster_start_time())::text AS server`;
export const JOIN_WORKFLOWS = "LEFT JOIN raymond.workflows ON workflows.hash = runs.workflow_hash";

const SELECT = `SELECT ${PLACED_COLUMNS} FROM raymond.runs ${JOIN_WORKFLOWS}`;

export interface PlacedColumns {
  readonly id: string;
  readonly placement: unknown;
  readonly home: string | null;
  readonly hash: string | null;
  readonly name: string | null;
  readonly set_aside: string | null;
  readonly status: RunStatus | null;
  readonly submitted_at: Date | null;
  readonly server: string;
}

function rowOf(row: PlacedColumns): PlacementRow | null {
  const { id, home, hash, name, set_aside: setAside, status, server } = row;
  const read = readPlacement(row.placement);
  if (read === null) return null;
  const workflow = hash === null || name === null ? null : { hash, name };
  return { ...read, id, workflow, home, server, setAside, status };
}
