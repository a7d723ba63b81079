import type { RunId, RunStatus } from "../../../machine/model/run-state.ts";
import type { Queries } from "../database.ts";
import { type MachineId, tied } from "./placement.ts";

/*
 * How a run moves to another machine:
 *
 * V1  A request is one change of the run's row: `move` in its placement. From then on no step of the move
 *     depends on the process that asked for it.
 * V2  The worker that holds the run observes the request, interrupts the run, and requeues it with the change
 *     of the row that releases it.
 * V3  If no process holds the run any more, any worker or the requesting process requeues it.
 * V4  A requeued run has `queued: false` until it is in its queue. If that fails, the reaper enqueues it (X4).
 * V5  The request does not affect a run that has completed.
 */

/** SQL condition: a move of the run `r` is requested. `queued: false` lets the index runs_unqueued find it. */
export const MOVE_REQUESTED = `(r.placement @> '{"open": true, "queued": false}' AND r.placement @> '{"move": {}}')`;

/** The placement of the run `r` after it is requeued. It stays at its home if its files are only there. */
export const REQUEUED = `r.placement || jsonb_build_object('move', NULL, 'by', NULL, 'at', NULL, 'queued', false,
    'entry', (r.placement->>'entry')::int + 1, 'claims', '{"stalled": 0, "steps": null}'::jsonb,
    'pinned', CASE WHEN ${tied("r")} AND r.home IS DISTINCT FROM r.placement->'move'->>'to'
      THEN r.placement->'pinned' ELSE r.placement->'move'->'to' END)`;

/** The placement of the run `r` with a move request; `to` is an SQL expression. */
const requested = (to: string) => `r.placement ||
  jsonb_build_object('queued', false, 'move', jsonb_build_object('to', ${to}))`;

/** Requests the move of a running or queued run. False for other runs. */
export async function requestMove(on: Queries, id: RunId, to: MachineId): Promise<boolean> {
  const rows = await on.query(
    `UPDATE raymond.runs r SET placement = ${requested("$2::text")}
      WHERE r.id = $1 AND r.placement @> '{"open": true}' AND r.status <> 'completed' RETURNING 1`,
    [id, to],
  );
  return rows.length > 0;
}

/** Requests that the runs of a machine move to other machines, except those whose files are only there. */
export async function requestMovesFrom(on: Queries, home: MachineId): Promise<readonly RunId[]> {
  const rows = await on.query<{ id: RunId }>(
    `UPDATE raymond.runs r SET placement = ${requested("NULL")}
      WHERE r.home = $1 AND r.status IN ('running', 'waiting') AND r.set_aside IS NULL
        AND r.placement @> '{"open": true}' AND NOT ${tied("r")} RETURNING r.id`,
    [home],
  );
  return rows.map(({ id }) => id).toSorted();
}

export async function moveRequests(on: Queries, ids: readonly RunId[]): Promise<readonly RunId[]> {
  const rows = await on.query<{ id: RunId }>(
    `SELECT r.id FROM raymond.runs r WHERE r.id = ANY($1) AND ${MOVE_REQUESTED}`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

export interface RequeuedRun {
  readonly id: RunId;
  /** Number of its previous queue entry, which is void. */
  readonly before: number;
}

/** Requeues runs that are to move and that no process holds (V3). `ids`: null for all. */
export async function requeueMoves(
  on: Queries,
  ids: readonly RunId[] | null,
): Promise<readonly RequeuedRun[]> {
  const rows = await on.query<RequeuedRun & { readonly status: RunStatus }>(
    `WITH free AS (
       SELECT r.id, (r.placement->>'entry')::int AS entry
         FROM raymond.runs r LEFT JOIN raymond.holders h ON h.id = r.holder
        WHERE ${MOVE_REQUESTED} AND (h.id IS NULL OR NOT raymond.is_alive(h))
          AND ($1::text[] IS NULL OR r.id = ANY($1))
          FOR UPDATE OF r SKIP LOCKED
     )
     UPDATE raymond.runs r SET holder = NULL, epoch = nextval('raymond.epochs'), set_aside = NULL,
       placement = CASE WHEN r.status = 'completed' THEN r.placement || '{"open": false, "move": null}'
         ELSE ${REQUEUED} END
       FROM free WHERE r.id = free.id RETURNING r.id, free.entry AS before, r.status`,
    [ids],
  );
  return rows.filter(({ status }) => status !== "completed");
}

/** `requested`: its worker has not released it yet. */
export type MoveOutcome = "moved" | "completed" | "requested";

export async function moveOutcomes(
  on: Queries,
  ids: readonly RunId[],
): Promise<ReadonlyMap<RunId, MoveOutcome>> {
  const rows = await on.query<{ id: RunId; status: RunStatus; requested: boolean }>(
    `SELECT r.id, r.status, ${MOVE_REQUESTED} AS requested FROM raymond.runs r WHERE r.id = ANY($1)`,
    [ids],
  );
  return new Map(
    rows.map(({ id, status, requested: isRequested }) => [
      id,
      status === "completed" ? "completed" : isRequested ? "requested" : "moved",
    ]),
  );
}
