import type { LockHolder } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Queries } from "../store/database.ts";
import { MOVE_REQUESTED, REQUEUED } from "../store/rows/moves.ts";
import { JOIN_WORKFLOWS, PLACED_COLUMNS, type PlacedColumns } from "../store/rows/placed-runs.ts";
import type { ClaimCounts, MachineId } from "../store/rows/placement.ts";
import type { Keyed, RowChange } from "../store/rows/row-change.ts";
import { type StateRow, stateOf } from "../store/rows/state-row.ts";
import { decodeHolder, HOLDER_COLUMNS, type HolderRow } from "./holders.ts";

/** The process that claims a run. */
export interface Claimer {
  readonly holder: number;
  /** Also claim from a holder without a heartbeat for 10 s. */
  readonly takeOver: boolean;
  /** Also claim from this process itself. */
  readonly again: boolean;
}

/** SQL condition: a run may be claimed from the holder `h`. */
function claimable(by: Readonly<Record<keyof Claimer, string>>): string {
  return `(h.id IS NULL OR NOT raymond.is_alive(h) OR (${by.again} AND h.id = ${by.holder})
    OR (${by.takeOver} AND h.heartbeat_at < clock_timestamp() - interval '10 seconds'))`;
}

/** `takenFrom`: the holder that is presumed dead. */
export type ClaimResult =
  | { readonly epoch: number; readonly takenFrom: LockHolder | null }
  | { readonly refusedBy: LockHolder };

/** Claims a run for a command, whatever its placement, and increases its epoch. */
export async function claimRun(on: Queries, id: RunId, by: Claimer): Promise<ClaimResult> {
  const [before] = await on.query<UnclaimedRow>(
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
  // Another process was faster.
  if (after === undefined) return claimRun(on, id, by);
  const isDead =
    by.takeOver && before !== undefined && before.row !== null && before.row !== by.holder;
  return { epoch: after.epoch, takenFrom: isDead ? decodeHolder(before) : null };
}

/** A run before the claim; `row` is null if it has no holder. */
interface UnclaimedRow extends Omit<HolderRow, "row"> {
  readonly row: number | null;
  readonly epoch: number;
  readonly free: boolean;
}

/** A claim of a run that was dispatched to a worker. */
export interface ClaimRequest extends Omit<Claimer, "takeOver"> {
  readonly id: RunId;
  /** Number of its queue entry. */
  readonly entry: number;
}

/** The claimed run, or its holder. The state is null before the first save. */
export type ClaimRow = Keyed &
  (
    | ({ readonly free: false } & HolderRow)
    /** Another process was faster. */
    | { readonly free: true; readonly epoch: null }
    | ({ readonly free: true; readonly epoch: number } & PlacedColumns &
        Omit<StateRow, "state"> & { readonly state: string | null })
  );

const STATE = stateOf("runs");

/** Claims dispatched runs whose queue entry is not void. */
export const CLAIM: RowChange<ClaimRequest> = {
  name: "claim",
  keyOf: ({ id, entry }) => `${id} ${String(entry)}`,
  // The SELECT sees the rows as of the start of the statement, so the UPDATE checks that they have not changed.
  text: `, before AS (
  SELECT a.id || ' ' || a.entry AS key, r.id, r.epoch, r.version, a.holder AS claimer, ${HOLDER_COLUMNS},
    ${claimable({ takeOver: "true", again: "a.again", holder: "a.holder" })} AS free
  FROM jsonb_to_recordset($2::jsonb) AS a (id text, entry integer, holder bigint, again boolean)
    JOIN locked USING (id)
    JOIN raymond.runs AS r ON r.id = a.id AND r.id = ANY($1::text[])
    LEFT JOIN raymond.holders AS h ON h.id = r.holder
  WHERE r.placement @> jsonb_build_object('open', true, 'entry', a.entry)
), claimed AS (
  UPDATE raymond.runs AS r SET epoch = nextval('raymond.epochs'), holder = before.claimer FROM before
  WHERE r.id = ANY($1::text[]) AND r.id = before.id AND before.free
    AND r.epoch = before.epoch AND r.version = before.version
  RETURNING r.*
)
SELECT before.key, before.free, before.row, before.host, before.pid, before.identity, before.started_at,
  before.heartbeat_at, runs.epoch, ${PLACED_COLUMNS}, ${STATE.columns}
FROM before LEFT JOIN claimed AS runs USING (id) ${JOIN_WORKFLOWS} ${STATE.texts}`,
};

/** Makes a machine the home of a claimed run. */
export interface SettleRequest {
  readonly id: RunId;
  readonly epoch: number;
  readonly home: MachineId;
  readonly claims: ClaimCounts;
}

export const SETTLE: RowChange<SettleRequest> = {
  name: "settle",
  keyOf: ({ id }) => id,
  text: `
UPDATE raymond.runs AS r SET home = a.home, placement = jsonb_set(placement, '{claims}', a.claims)
FROM jsonb_to_recordset($2::jsonb) AS a (id text, epoch bigint, home text, claims jsonb)
  JOIN locked USING (id)
WHERE r.id = ANY($1::text[]) AND r.id = a.id AND r.epoch = a.epoch
RETURNING r.id AS key`,
};

export interface ReleaseRequest {
  readonly id: RunId;
  readonly epoch: number;
  /** It has stopped: no worker is to resume it, unless its move was requested. */
  readonly over: boolean;
}

export type ReleaseRow = Keyed & {
  /** It was requeued for another machine. */
  readonly requeued: boolean;
};

/** The run `r` is to move, and has not completed. */
const MOVES = `(${MOVE_REQUESTED} AND r.status <> 'completed')`;

export const RELEASE: RowChange<ReleaseRequest> = {
  name: "release",
  keyOf: ({ id }) => id,
  text: `
UPDATE raymond.runs AS r SET holder = NULL,
  set_aside = CASE WHEN a.over AND ${MOVES} THEN NULL ELSE r.set_aside END,
  placement = CASE WHEN NOT a.over THEN r.placement WHEN ${MOVES} THEN ${REQUEUED}
    ELSE r.placement || '{"open": false, "move": null}' END
FROM jsonb_to_recordset($2::jsonb) AS a (id text, epoch bigint, over boolean)
  JOIN locked USING (id)
WHERE r.id = ANY($1::text[]) AND r.id = a.id AND r.epoch = a.epoch
RETURNING r.id AS key, a.over AND r.placement @> '{"open": true}' AS requeued`,
};
