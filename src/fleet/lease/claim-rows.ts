import type { RunId } from "../../machine/run-state.ts";
import { claimable } from "../queue/claim-run.ts";
import { MOVE_REQUESTED, REQUEUED } from "../store/rows/moves.ts";
import { JOIN_WORKFLOWS, PLACED_COLUMNS, type PlacedColumns } from "../store/rows/placed-runs.ts";
import type { ClaimCounts, MachineId } from "../store/rows/placement.ts";
import type { Keyed, RowChange } from "../store/rows/row-change.ts";
import { type StateRow, stateOf } from "../store/rows/state-row.ts";
import { HOLDER_COLUMNS, type HolderRow } from "./holders.ts";

/** A going on of a run that a worker was handed, and wants to begin. */
export interface ClaimRequest {
  readonly id: RunId;
  /** `entry` of its placement. */
  readonly entry: number;
  readonly holder: number;
  /** Also where this very holder has it. */
  readonly again: boolean;
}

/** One that was never saved has no state. */
type Unread = Omit<StateRow, "state"> & { readonly state: string | null };

/** What becomes of it: it is taken, with all that is needed to go on with it, or who has it. */
export type ClaimRow = Keyed &
  (
    | ({ readonly free: false } & HolderRow)
    /** Somebody was faster. */
    | { readonly free: true; readonly epoch: null }
    | ({ readonly free: true; readonly epoch: number } & PlacedColumns & Unread)
  );

const STATE = stateOf("runs");

/** Takes runs that are handed to a worker, as a command takes one ({@link claimable}), while that going on is wanted. */
export const CLAIM: RowChange<ClaimRequest> = {
  name: "take",
  idOf: ({ id }) => id,
  keyOf: ({ id, entry }) => `${id} ${String(entry)}`,
  values: (asked) => [
    ...[asked.map(({ entry }) => entry), asked.map(({ holder }) => holder)],
    asked.map(({ again }) => again),
  ],
  // What is selected is as of the begin of the statement: only where the row is that still it is changed.
  text: (locked) => `
WITH locked AS (
  ${locked}
), before AS (
  SELECT a.id || ' ' || a.entry AS key, r.id, r.epoch, r.version, a.holder AS taker, ${HOLDER_COLUMNS},
    ${claimable({ takeOver: "true", again: "a.again", holder: "a.holder" })} AS free
  FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::boolean[]) AS a (id, entry, holder, again)
    JOIN locked USING (id)
    JOIN raymond.runs AS r ON r.id = a.id AND r.id = ANY($1::text[])
    LEFT JOIN raymond.holders AS h ON h.id = r.holder
  WHERE r.placement @> jsonb_build_object('open', true, 'entry', a.entry)
), taken AS (
  UPDATE raymond.runs AS r SET epoch = nextval('raymond.epochs'), holder = before.taker FROM before
  WHERE r.id = ANY($1::text[]) AND r.id = before.id AND before.free
    AND r.epoch = before.epoch AND r.version = before.version
  RETURNING r.*
)
SELECT before.key, before.free, before.row, before.host, before.pid, before.identity, before.started_at,
  before.heartbeat_at, runs.epoch, ${PLACED_COLUMNS}, ${STATE.columns}
FROM before LEFT JOIN taken AS runs USING (id) ${JOIN_WORKFLOWS} ${STATE.texts}`,
};

/** A run that a worker goes on with: it is at home on its machine from now on. */
export interface SettleRequest {
  readonly id: RunId;
  readonly epoch: number;
  readonly home: MachineId;
  readonly claims: ClaimCounts;
}

export const SETTLE: RowChange<SettleRequest> = {
  name: "settle",
  idOf: ({ id }) => id,
  keyOf: ({ id }) => id,
  values: (asked) => [
    ...[asked.map(({ epoch }) => epoch), asked.map(({ home }) => home)],
    asked.map(({ claims }) => JSON.stringify(claims)),
  ],
  text: (locked) => `
WITH locked AS (
  ${locked}
)
UPDATE raymond.runs AS r SET home = a.home, placement = jsonb_set(placement, '{claims}', a.claims),
  takeovers = takeovers + CASE WHEN r.home IS NULL OR r.home = a.home THEN 0 ELSE 1 END
FROM unnest($1::text[], $2::bigint[], $3::text[], $4::jsonb[]) AS a (id, epoch, home, claims)
  JOIN locked USING (id)
WHERE r.id = ANY($1::text[]) AND r.id = a.id AND r.epoch = a.epoch
RETURNING r.id AS key`,
};

/** A run that a worker releases. */
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

/** The run `r` is to move, and has not completed meanwhile. */
const MOVES = `(${MOVE_REQUESTED} AND r.status <> 'completed')`;

export const RELEASE: RowChange<ReleaseRequest> = {
  name: "end",
  idOf: ({ id }) => id,
  keyOf: ({ id }) => id,
  values: (asked) => [asked.map(({ epoch }) => epoch), asked.map(({ over }) => over)],
  text: (locked) => `
WITH locked AS (
  ${locked}
)
UPDATE raymond.runs AS r SET holder = NULL,
  set_aside = CASE WHEN a.over AND ${MOVES} THEN NULL ELSE r.set_aside END,
  placement = CASE WHEN NOT a.over THEN r.placement WHEN ${MOVES} THEN ${REQUEUED}
    ELSE r.placement || '{"open": false, "move": null}' END
FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS a (id, epoch, over)
  JOIN locked USING (id)
WHERE r.id = ANY($1::text[]) AND r.id = a.id AND r.epoch = a.epoch
RETURNING r.id AS key, a.over AND r.placement @> '{"open": true}' AS requeued`,
};
