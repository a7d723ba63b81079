import {
  asQueued,
  type LockHolder,
  type QueuedRun,
  type RunSummary,
} from "../../../engine/ports/store.ts";
import type { RunId, RunStatus } from "../../../machine/run-state.ts";
import { decodeHolder, HOLDER_COLUMNS, type HolderRow, liveHolders } from "../../lease/holders.ts";
import type { Queries } from "../database.ts";
import { BEGINS_AT, EXPECTED, readPlacement } from "./placed-runs.ts";
import { type MachineId, type Placement, placementVerdict } from "./placement.ts";
import { type ListedRow, SUMMARY_COLUMNS, summaryOf } from "./run-row.ts";

/** Where a run is, and may be. */
export interface RunPlace {
  readonly pool: string;
  readonly account: string | null;
  readonly home: MachineId | null;
  readonly workspace: Placement["workspace"]["kind"];
  readonly pinned: MachineId | null;
  /** The machine that alone may go on with it, and does not live. */
  readonly waitsFor: MachineId | null;
  readonly setAside: string | null;
}

/** A run of a list, and where it is; null of one that was not submitted. */
export interface PlacedSummary extends RunSummary {
  readonly place: RunPlace | null;
}

/** Which runs: `after` is the start and the id of one, and those behind it are meant. */
export interface RunFilter {
  readonly statuses: readonly RunStatus[] | null;
  readonly words: readonly string[];
  readonly after: readonly [startedAt: string, id: RunId] | null;
  readonly limit: number;
}

/** Runs, the last started first, by the indexes of their starts: so many at most. */
export async function placedSummaries(
  on: Queries,
  { statuses, words, after, limit }: RunFilter,
): Promise<readonly PlacedSummary[]> {
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);
  const [startedAt, id] = after ?? [null, null];
  const values = [startedAt, id, patterns, limit];
  const rows = await (statuses === null
    ? on.query<BoardRow>(ofAll(""), values)
    : on.query<BoardRow>(OF_STATUSES, [...values, statuses]));
  const living = await liveHolders(on);
  const machines = await machinesThatLive(on);
  return rows.map((row) => {
    const summary = summaryOf(row, living);
    const { place, isExpected } = placeOf(row, machines, summary.holder);
    const placed = { ...summary, place };
    return summary.holder === null && isExpected ? asQueued(placed, row) : placed;
  });
}

/** How runs stand, as far as it tells what is to be read anew of them. */
export interface RunPulse {
  readonly holder: LockHolder | null;
  readonly isExpected: boolean;
  readonly place: RunPlace | null;
  readonly version: number;
  readonly answers: number;
  /** Number of the last event that is kept. */
  readonly seq: number;
}

/** The same of several, by their ids. */
export async function runPulses(
  on: Queries,
  ids: readonly RunId[],
): Promise<ReadonlyMap<RunId, RunPulse>> {
  const rows = await on.query<PulseRow>(PULSES, [ids]);
  const machines = await machinesThatLive(on);
  return new Map(
    rows.map((row) => {
      const { version, answers, seq } = row;
      const holder = row.row === null ? null : decodeHolder(row);
      return [
        row.id,
        { ...placeOf(row, machines, holder), holder, version, answers, seq: seq ?? 0 },
      ];
    }),
  );
}

interface PlaceRow {
  readonly home: string | null;
  readonly placement: unknown;
  readonly set_aside: string | null;
  /** A worker is to take it. */
  readonly expected: boolean;
}

interface BoardRow extends ListedRow, PlaceRow, QueuedRun {}

interface PulseRow extends PlaceRow, Omit<HolderRow, "row"> {
  readonly id: RunId;
  readonly row: number | null;
  readonly version: number;
  readonly answers: number;
  readonly seq: number | null;
}

const PLACE_COLUMNS = `home, placement, set_aside, (${EXPECTED}) AS expected`;

/** @public A test asks the database how it finds them. */
export function ofAll(status: string): string {
  return `
SELECT id, holder, ${[...SUMMARY_COLUMNS, PLACE_COLUMNS].join(", ")}, ${BEGINS_AT} AS "startsAt",
  CASE WHEN questions IS NULL THEN NULL ELSE (
    SELECT array_agg(agent || '-' || number) FROM raymond.answers a WHERE a.run = r.id
  ) END AS answered
FROM raymond.runs r
WHERE state IS NOT NULL ${status} AND (started_at, id) < (coalesce($1, '~'), coalesce($2, '~'))
  AND concat_ws(' ', id, workflow, home, pool, account) ILIKE ALL ($3::text[])
ORDER BY started_at DESC, id DESC LIMIT $4`;
}

/** Each status by its index: together they would be found by reading all. */
const OF_STATUSES = `
SELECT found.* FROM unnest($5::text[]) AS wanted (status)
CROSS JOIN LATERAL (${ofAll("AND r.status = wanted.status")}) AS found
ORDER BY started_at DESC, id DESC LIMIT $4`;

const PULSES = `
SELECT r.id, r.version, r.home, r.placement, r.set_aside, (${EXPECTED}) AS expected, ${HOLDER_COLUMNS},
  (SELECT max(seq) FROM raymond.events e WHERE e.run = r.id) AS seq,
  (SELECT count(*) FROM raymond.answers a WHERE a.run = r.id) AS answers
FROM raymond.runs r
LEFT JOIN raymond.holders h ON h.id = r.holder AND raymond.is_alive(h)
WHERE r.id = ANY($1) AND r.state IS NOT NULL`;

/** The machines that live: they are few, however many runs there are. */
async function machinesThatLive(on: Queries): Promise<ReadonlySet<MachineId>> {
  const rows = await on.query<{ id: MachineId }>(
    `SELECT m.id FROM raymond.machines m JOIN raymond.holders h ON h.id = m.holder
      WHERE raymond.is_alive(h)`,
  );
  return new Set(rows.map(({ id }) => id));
}

function placeOf(
  {
    id,
    home,
    placement: json,
    set_aside: setAside,
    expected: isExpected,
  }: PlaceRow & { readonly id: RunId },
  machines: ReadonlySet<MachineId>,
  holder: LockHolder | null,
): Pick<RunPulse, "place" | "isExpected"> {
  const read = readPlacement(json);
  if (read === null) return { place: null, isExpected: false };
  const { placement, snapshot, open } = read;
  const { pool, account, workspace, pinned } = placement;
  const only = pinned ?? home;
  const sight = only === null ? null : { lives: machines.has(only), silentMs: 0 };
  const verdict = placementVerdict({ id, placement, home, snapshot }, sight);
  const waits = open && setAside === null && holder === null && verdict.kind === "wait-for-home";
  return {
    place: {
      ...{ pool, account, home, pinned, setAside },
      workspace: workspace.kind,
      waitsFor: waits ? only : null,
    },
    isExpected,
  };
}
