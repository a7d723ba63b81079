import { z } from "zod";
import type { QueuedRun } from "../../../engine/ports/store.ts";
import type { RunId, RunStatus } from "../../../machine/run-state.ts";
import { fleetErrors } from "../../errors.ts";
import type { QueueEntry } from "../../queue/queues.ts";
import type { Queries } from "../database.ts";
import { MOVE_REQUESTED, type MoveRequest } from "./moves.ts";
import {
  type ClaimCounts,
  type MachineId,
  type PlacedRun,
  type Placement,
  tied,
} from "./placement.ts";

/** A workflow as a fleet keeps it: bytes, by their hash. */
export interface FleetWorkflow {
  /** SHA-256 of the bytes, in lower-case hex. */
  readonly hash: string;
  /** What it was called: of a folder its name, else that of the file. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** A run as its placement stands in the database. */
export interface PlacementRow extends PlacedRun {
  /** Which workflow it is of; null of a run that was not submitted. */
  readonly workflow: Pick<FleetWorkflow, "hash" | "name"> | null;
  readonly claims: ClaimCounts;
  /** Which start of the database's server this is. */
  readonly server: string;
  /** Why it was set aside; null while it was not. */
  readonly setAside: string | null;
  /** As it was saved last; null of one that never was. */
  readonly status: RunStatus | null;
  /** Somebody is to go on with it. */
  readonly open: boolean;
  /** Where it is to move; null: it stays. */
  readonly move: MoveRequest | null;
}

const WORKSPACE = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("local"), folder: z.string().nullable() }),
  z.object({ kind: z.literal("shared"), folder: z.string() }),
  z.object({
    kind: z.literal("git"),
    repository: z.string(),
    commit: z.string(),
    subfolder: z.string(),
  }),
]);

const SESSIONS = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("home") }),
  z.object({ kind: z.literal("pg") }),
  z.object({ kind: z.literal("dir"), folder: z.string() }),
]);

/** What stands in a column `placement`. */
export const PLACEMENT = z.object({
  pool: z.string(),
  account: z.string().nullable(),
  pinned: z.string().nullable(),
  workspace: WORKSPACE,
  sessions: SESSIONS.default({ kind: "home" }),
  failoverAfterMs: z.number(),
  inside: z.string(),
  lostSession: z.enum(["fail", "fresh"]),
  entry: z.number(),
  at: z.number().nullable().default(null),
  withoutClient: z.literal(true).optional(),
  open: z.boolean().default(true),
  move: z.object({ to: z.string().nullable() }).nullable().default(null),
  claims: z
    .object({ stalled: z.number(), steps: z.number().nullable(), server: z.string().optional() })
    .optional(),
  /** Written with each save (`SAVE` in saver.ts). */
  snapshot: z.object({ commit: z.string(), behind: z.string().nullable() }).optional(),
});

/** What the column `placement` holds; null of a run that was not submitted. */
export function readPlacement(
  json: unknown,
):
  | (Pick<PlacementRow, "claims" | "snapshot" | "open" | "move"> & {
      readonly placement: Placement;
    })
  | null {
  const read = PLACEMENT.safeParse(typeof json === "string" ? JSON.parse(json) : json);
  if (!read.success) return null;
  const { claims = NO_CLAIMS, open, move, snapshot = null, ...placement } = read.data;
  return { placement, claims, snapshot, open, move };
}

/** Keeps the bytes of a workflow, once. */
export async function storeWorkflow(
  on: Queries,
  { hash, name, bytes }: FleetWorkflow,
): Promise<void> {
  await on.query(
    "INSERT INTO raymond.workflows (hash, name, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    [hash, name, bytes],
  );
}

/** The bytes of a workflow that was kept. */
export async function fetchWorkflow(on: Queries, hash: string): Promise<Buffer> {
  const [row] = await on.query<{ bytes: Buffer }>(
    "SELECT bytes FROM raymond.workflows WHERE hash = $1",
    [hash],
  );
  if (row === undefined) throw new Error(`the fleet has no workflow ${hash}`);
  return row.bytes;
}

/** Says where a run that is there may be. It is in no queue yet. */
export async function placeRun(
  on: Queries,
  id: RunId,
  placement: Placement,
  hash: string,
): Promise<void> {
  await on.query(
    `UPDATE raymond.runs SET pool = $2, account = $3, workflow_hash = $4, placement = $5, submitted_at = now()
      WHERE id = $1`,
    [
      id,
      placement.pool,
      placement.account,
      hash,
      JSON.stringify({ ...placement, open: true, queued: false }),
    ],
  );
}

/**
 * The placement of a run; null where it was not submitted to the fleet. Rejects with a
 * `fleet/newer-run` where this raymond cannot read it.
 */
export async function findPlacement(on: Queries, id: RunId): Promise<PlacementRow | null> {
  const [row] = await on.query<PlacedColumns>(`${SELECT} WHERE runs.id = $1`, [id]);
  return row === undefined || row.submitted_at === null ? null : requirePlacement(row);
}

/** The same of a row that is there. */
export function requirePlacement(row: PlacedColumns): PlacementRow {
  const read = rowOf(row);
  if (read === null) throw fleetErrors["fleet/newer-run"](row.id);
  return read;
}

/** Runs whose last holder may be gone: those that say that they run, or wait, on a machine. */
export function runsAt(on: Queries, home: MachineId): Promise<readonly PlacementRow[]> {
  return readable(
    on,
    "runs.home = $1 AND runs.status IN ('running', 'waiting') AND runs.set_aside IS NULL",
    [home],
  );
}

/** Those of these runs that can be read. */
export function placementsOf(on: Queries, ids: readonly RunId[]): Promise<readonly PlacementRow[]> {
  return readable(on, "runs.id = ANY($1)", [ids]);
}

/** Runs that are to be in a queue, and may be in none: who is to put them there does so now, or was cut off. */
export function unqueuedRuns(on: Queries): Promise<readonly PlacementRow[]> {
  // As the index runs_unqueued has it.
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

/** Records that this going on of a run is in its queue. */
export async function markQueued(on: Queries, id: RunId, entry: number): Promise<void> {
  await on.query(
    `UPDATE raymond.runs SET placement = placement || jsonb_build_object('queued', true,
            'queuedAt', extract(epoch FROM clock_timestamp()) * 1000)
      WHERE id = $1 AND placement @> jsonb_build_object('entry', $2::int) AND NOT placement @> '{"move": {}}'`,
    [id, entry],
  );
}

/** A run as whoever goes on with it may change it: by its row of `raymond.holders`, while nobody else has taken the run. */
export interface HeldRun {
  readonly id: RunId;
  readonly holder: number;
}

/** What of its queue is known of a run that cannot be read otherwise. */
export interface RequeuedEntry {
  readonly queued: QueueEntry;
  /** The machine that alone may take it. */
  readonly only: MachineId | null;
}

/** Lets another worker take a run that this one does not begin, and perhaps cannot read. Null where it was enqueued anew since. */
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

/** What may be changed of a placement. */
type PlacementChange = Partial<Placement> & {
  readonly claims?: ClaimCounts;
  readonly open?: boolean;
  /** Whether it is in its queue. */
  readonly queued?: boolean;
  readonly move?: MoveRequest | null;
};

/** Changes what stands in the placement of a run. */
export async function changePlacement(
  on: Queries,
  id: RunId,
  change: PlacementChange,
): Promise<void> {
  await on.query("UPDATE raymond.runs SET placement = placement || $2::jsonb WHERE id = $1", [
    id,
    JSON.stringify(change),
  ]);
}

/** The same by whoever goes on with it. */
export async function changeHeldPlacement(
  on: Queries,
  { id, holder }: HeldRun,
  change: PlacementChange,
): Promise<void> {
  await on.query(
    "UPDATE raymond.runs SET placement = placement || $3::jsonb WHERE id = $1 AND holder = $2",
    [id, holder, JSON.stringify(change)],
  );
}

/** Runs that somebody is to go on with. */
export async function expectedRuns(on: Queries): Promise<ReadonlyMap<RunId, QueuedRun>> {
  const rows = await on.query<QueuedRun & { readonly id: RunId }>(
    `SELECT id, ${BEGINS_AT} AS "startsAt" FROM raymond.runs r WHERE ${EXPECTED}`,
  );
  return new Map(rows.map(({ id, startsAt }) => [id, { startsAt }]));
}

/** Somebody is to go on with the run `r`. One that has stopped, and is in a queue again, was not taken since. */
export const EXPECTED = `r.status <> 'completed' AND r.placement @> '{"open": true}'
  AND (r.status IN ('running', 'waiting') OR r.placement @> '{"claims": {"steps": null}}')`;

/** When the run `r` begins, epoch ms, where that is still to come; else null. */
export const BEGINS_AT = `CASE WHEN r.home IS NULL
  AND (r.placement->>'at')::float8 > extract(epoch FROM clock_timestamp()) * 1000
  THEN (r.placement->>'at')::float8 END`;

/** Records why nobody is to take a run any more that somebody has in hand. */
export async function setAside(on: Queries, { id, holder }: HeldRun, why: string): Promise<void> {
  await on.query("UPDATE raymond.runs SET set_aside = $3 WHERE id = $1 AND holder = $2", [
    id,
    holder,
    why,
  ]);
}

/** From now on a run may be taken again. */
export async function clearSetAside(on: Queries, id: RunId): Promise<void> {
  await on.query("UPDATE raymond.runs SET set_aside = NULL WHERE id = $1", [id]);
}

/** What is asked of a row that is called `runs`, and of its workflow. */
export const PLACED_COLUMNS = `runs.id, runs.placement, runs.home, runs.workflow_hash AS hash, runs.set_aside,
  runs.status, runs.submitted_at, workflows.name, extract(epoch FROM pg_postmaster_start_time())::text AS server`;
export const JOIN_WORKFLOWS = "LEFT JOIN raymond.workflows ON workflows.hash = runs.workflow_hash";

const SELECT = `SELECT ${PLACED_COLUMNS} FROM raymond.runs ${JOIN_WORKFLOWS}`;

/** What {@link PLACED_COLUMNS} give. */
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
  const { claims, snapshot, placement, open, move } = read;
  const workflow = hash === null || name === null ? null : { hash, name };
  return { id, placement, workflow, home, claims, server, snapshot, setAside, status, open, move };
}

const NO_CLAIMS: ClaimCounts = { stalled: 0, steps: null };
