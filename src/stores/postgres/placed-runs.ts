import { z } from "zod";
import type { RunId } from "../../core/machine/run-state.ts";
import type { Queries } from "./database.ts";
import type { MachineId, Placement, Takes } from "./placement.ts";

/** A workflow as a fleet keeps it: bytes, by their hash. */
export interface FleetWorkflow {
  /** SHA-256 of the bytes, in lower-case hex. */
  readonly hash: string;
  /** What it was called: of a folder its name, else that of the file. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** A run as its placement stands in the database. */
export interface PlacementRow {
  readonly id: RunId;
  readonly placement: Placement;
  /** Which workflow it is of; null of a run that was not submitted. */
  readonly workflow: Pick<FleetWorkflow, "hash" | "name"> | null;
  /** The machine that took it: its files and conversations are there. */
  readonly home: MachineId | null;
  readonly takes: Takes;
  /** Why it was set aside; null while it was not. */
  readonly setAside: string | null;
}

const WORKSPACE = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("local"), folder: z.string().nullable() }),
  z.object({ kind: z.literal("shared"), folder: z.string() }),
]);

/** What stands in the column `placement`. */
const PLACEMENT = z.object({
  pool: z.string(),
  account: z.string().nullable(),
  pinned: z.string().nullable(),
  workspace: WORKSPACE,
  failoverAfterMs: z.number(),
  inside: z.string(),
  lostSession: z.enum(["fail", "fresh"]),
  go: z.number(),
  takes: z.object({ vain: z.number(), steps: z.number().nullable() }).optional(),
});

/** Keeps the bytes of a workflow, once. */
export async function keepWorkflow(
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

/** Says where a run that is there may be. */
export async function placeRun(
  on: Queries,
  id: RunId,
  placement: Placement,
  hash: string,
): Promise<void> {
  await on.query(
    `UPDATE raymond.runs SET pool = $2, account = $3, workflow_hash = $4, placement = $5, submitted_at = now()
      WHERE id = $1`,
    [id, placement.pool, placement.account, hash, JSON.stringify({ ...placement, open: true })],
  );
}

/** The placement of a run; null where it was not submitted to the fleet. */
export async function findPlacement(on: Queries, id: RunId): Promise<PlacementRow | null> {
  const [row] = await on.query<Row>(`${SELECT} WHERE runs.id = $1`, [id]);
  return row === undefined ? null : rowOf(row);
}

/** Runs whose last holder may be gone: those that say that they run, or wait, on a machine. */
export async function runsAt(on: Queries, home: MachineId): Promise<readonly PlacementRow[]> {
  const rows = await on.query<Row>(
    `${SELECT} WHERE runs.home = $1 AND runs.status IN ('running', 'waiting') AND runs.set_aside IS NULL`,
    [home],
  );
  return rows.flatMap((row) => rowOf(row) ?? []);
}

/** Records that a machine goes on with a run, which is at home there from now on. */
export async function settleRun(
  on: Queries,
  id: RunId,
  home: MachineId,
  takes: Takes,
): Promise<void> {
  await on.query(
    `UPDATE raymond.runs SET home = $2, placement = jsonb_set(placement, '{takes}', $3),
            takeovers = takeovers + CASE WHEN home IS NULL OR home = $2 THEN 0 ELSE 1 END
      WHERE id = $1`,
    [id, home, JSON.stringify(takes)],
  );
}

/** Changes what stands in the placement of a run. */
export async function changePlacement(
  on: Queries,
  id: RunId,
  change: Partial<Placement> & { readonly takes?: Takes; readonly open?: boolean },
): Promise<void> {
  await on.query("UPDATE raymond.runs SET placement = placement || $2::jsonb WHERE id = $1", [
    id,
    JSON.stringify(change),
  ]);
}

/** Runs that somebody is to go on with. */
export async function expectedRuns(on: Queries): Promise<ReadonlySet<RunId>> {
  const rows = await on.query<{ id: RunId }>(
    `SELECT id FROM raymond.runs WHERE status IN ('running', 'waiting') AND placement @> '{"open": true}'`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Records why nobody is to take a run any more; null: they may again. */
export async function setAside(on: Queries, id: RunId, why: string | null): Promise<void> {
  await on.query("UPDATE raymond.runs SET set_aside = $2 WHERE id = $1", [id, why]);
}

const SELECT = `SELECT runs.id, runs.placement, runs.home, runs.workflow_hash AS hash, runs.set_aside,
  workflows.name FROM raymond.runs LEFT JOIN raymond.workflows ON workflows.hash = runs.workflow_hash`;

interface Row {
  readonly id: string;
  readonly placement: unknown;
  readonly home: string | null;
  readonly hash: string | null;
  readonly name: string | null;
  readonly set_aside: string | null;
}

function rowOf({
  id,
  placement: json,
  home,
  hash,
  name,
  set_aside: setAside,
}: Row): PlacementRow | null {
  const read = PLACEMENT.safeParse(typeof json === "string" ? JSON.parse(json) : json);
  if (!read.success) return null;
  const { takes = NO_TAKES, ...placement } = read.data;
  const workflow = hash === null || name === null ? null : { hash, name };
  return { id, placement, workflow, home, takes, setAside };
}

const NO_TAKES: Takes = { vain: 0, steps: null };
