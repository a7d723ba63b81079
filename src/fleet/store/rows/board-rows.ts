import { asQueued, type LockHolder, type QueuedRun } from "../../../engine/ports/store.ts";
import type { FleetGlance, FleetRun, WantedRuns } from "../../../inspect/fleet-board.ts";
import type { RunId } from "../../../machine/model/run-state.ts";
import { decodeHolder, HOLDER_COLUMNS, type HolderRow, liveHolders } from "../../lease/holders.ts";
import type { Queries } from "../database.ts";
import { EXPECTED, readPlacement, STARTS_AT } from "./placed-runs.ts";
import { type MachineId, placementVerdict } from "./placement.ts";
import { type ListedRow, listRows, summaryOf } from "./run-row.ts";

export interface RunFilter extends Omit<WantedRuns, "after"> {
  /** Only runs after this one in the order of the list. */
  readonly after: readonly [startedAt: string, id: RunId] | null;
}

/** Runs with their places, last started first. */
export async function placedSummaries(
  on: Queries,
  { statuses, words, after, limit }: RunFilter,
): Promise<readonly FleetRun[]> {
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);
  const [startedAt, id] = after ?? [null, null];
  const values = [startedAt, id, limit, patterns];
  const rows = await (statuses === null
    ? on.query<BoardRow>(ofAll(""), values)
    : on.query<BoardRow>(OF_STATUSES, [...values, statuses]));
  const living = await liveHolders(on);
  const machines = await liveMachines(on);
  return rows.map((row) => {
    const summary = summaryOf(row, living);
    const { place, isExpected } = placeOf(row, machines, summary.holder);
    const placed = { ...summary, place };
    return summary.holder === null && isExpected ? asQueued(placed, row) : placed;
  });
}

/** The part of a run's row that shows whether to read more. */
export interface RunPulse extends Omit<FleetGlance, "signature"> {
  readonly version: number;
  /** Number of answers. */
  readonly answers: number;
  /** Number of the last stored event. */
  readonly seq: number;
}

/** In the order of `ids`; null for runs that do not exist. */
export async function runPulses(
  on: Queries,
  ids: readonly RunId[],
): Promise<readonly (RunPulse | null)[]> {
  const rows = await on.query<PulseRow>(PULSES, [ids]);
  const machines = await liveMachines(on);
  const pulses = new Map(
    rows.map((row) => {
      const { id, version, answers, seq } = row;
      const holder = row.row === null ? null : decodeHolder(row);
      const place = placeOf(row, machines, holder);
      return [id, { ...place, holder, version, answers, seq: seq ?? 0 }];
    }),
  );
  return ids.map((id) => pulses.get(id) ?? null);
}

interface PlaceRow {
  readonly home: string | null;
  readonly placement: unknown;
  readonly set_aside: string | null;
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

/** @public A test checks the query plan. */
export function ofAll(status: string): string {
  return listRows(
    `, ${PLACE_COLUMNS}, ${STARTS_AT} AS "startsAt"`,
    `${status} AND concat_ws(' ', id, workflow, home, pool, account) ILIKE ALL ($4::text[])`,
  );
}

/** One index scan per status: a scan of all statuses would read all runs. */
const OF_STATUSES = `
SELECT found.* FROM unnest($5::text[]) AS wanted (status)
CROSS JOIN LATERAL (${ofAll("AND r.status = wanted.status")}) AS found
ORDER BY started_at DESC, id DESC LIMIT $3`;

const PULSES = `
SELECT r.id, r.version, r.home, r.placement, r.set_aside, (${EXPECTED}) AS expected, ${HOLDER_COLUMNS},
  (SELECT max(seq) FROM raymond.events e WHERE e.run = r.id) AS seq,
  (SELECT count(*) FROM raymond.answers a WHERE a.run = r.id) AS answers
FROM raymond.runs r
LEFT JOIN raymond.holders h ON h.id = r.holder AND raymond.is_alive(h)
WHERE r.id = ANY($1) AND r.state IS NOT NULL`;

async function liveMachines(on: Queries): Promise<ReadonlySet<MachineId>> {
  const rows = await on.query<{ id: MachineId }>(
    `SELECT m.id FROM raymond.machines m JOIN raymond.holders h ON h.id = m.holder
      WHERE raymond.is_alive(h)`,
  );
  return new Set(rows.map(({ id }) => id));
}

function placeOf(
  { id, home, placement: json, set_aside: setAside, expected }: PlaceRow & { readonly id: RunId },
  machines: ReadonlySet<MachineId>,
  holder: LockHolder | null,
): Pick<RunPulse, "place" | "isExpected"> {
  const read = readPlacement(json);
  if (read === null) return { place: null, isExpected: false };
  const { placement, snapshot, open } = read;
  const { pool, account, workspace, pinned } = placement;
  const only = pinned ?? home;
  const sighting = { lives: only !== null && machines.has(only), silentMs: null };
  const verdict = placementVerdict({ id, placement, home, snapshot }, sighting);
  const waits = open && setAside === null && holder === null && verdict.kind === "wait-for-home";
  const waitsFor = waits ? only : null;
  return {
    place: { pool, account, home, pinned, setAside, workspace: workspace.kind, waitsFor },
    isExpected: expected,
  };
}
