import type { LockHolder } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/run-state.ts";
import { decodeHolder, HOLDER_COLUMNS, type HolderRow } from "../lease/holders.ts";
import type { Queries } from "../store/database.ts";

/** A run that was taken, or who has it. */
export type ClaimResult =
  | { readonly epoch: number; readonly takenFrom: LockHolder | null }
  | { readonly refusedBy: LockHolder };

/**
 * Takes a run that nobody has who lives, and raises its epoch. `takeOver`: one that was
 * silent for some beats is taken for dead.
 */
export async function claimRun(on: Queries, id: RunId, by: ClaimOptions): Promise<ClaimResult> {
  const [before] = await on.query<TakenRow>(
    `SELECT ${HOLDER_COLUMNS}, r.epoch,
        ${claimable({ takeOver: "$2", again: "$3", holder: "$4" })} AS free
      FROM raymond.runs r LEFT JOIN raymond.holders h ON h.id = r.holder WHERE r.id = $1`,
    [id, by.takeOver, by.again, by.holder],
  );
  if (before?.free === false) return { refusedBy: decodeHolder(before) };
  const [after] = await on.query<{ readonly epoch: number }>(
    `INSERT INTO raymond.runs AS r (id, epoch, holder) VALUES ($1, nextval('raymond.epochs'), $2)
      ON CONFLICT (id) DO UPDATE SET epoch = nextval('raymond.epochs'), holder = $2
      WHERE r.epoch = $3 RETURNING epoch`,
    [id, by.holder, before?.epoch ?? null],
  );
  // Another was faster.
  if (after === undefined) return claimRun(on, id, by);
  const isDead =
    by.takeOver && before !== undefined && before.row !== null && before.row !== by.holder;
  return { epoch: after.epoch, takenFrom: isDead ? decodeHolder(before) : null };
}

/** A run as it is before it is taken; `row` is null where nobody has it. */
interface TakenRow extends Omit<HolderRow, "row"> {
  readonly row: number | null;
  readonly epoch: number;
  readonly free: boolean;
}

/** How a run is taken. */
export interface ClaimOptions {
  readonly holder: number;
  readonly takeOver: boolean;
  /** Also where this very holder has it. */
  readonly again: boolean;
}

/** Whether a run may be taken from a holder `h`, as a condition. Nobody is taken for dead who has been heard since. */
export function claimable(by: Readonly<Record<keyof ClaimOptions, string>>): string {
  return `(h.id IS NULL OR NOT raymond.is_alive(h) OR (${by.again} AND h.id = ${by.holder})
    OR (${by.takeOver} AND h.heartbeat_at < clock_timestamp() - interval '10 seconds'))`;
}
