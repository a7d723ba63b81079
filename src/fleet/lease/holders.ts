import type { LockHolder } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { Queries } from "../store/database.ts";

/** Who holds the run; null when nobody does, or who did is dead. */
export async function holderOfRun(on: Queries, id: RunId): Promise<LockHolder | null> {
  const [row] = await on.query<HolderRow>(
    `SELECT ${HOLDER_COLUMNS} FROM raymond.runs r JOIN raymond.holders h ON h.id = r.holder
      WHERE r.id = $1 AND raymond.is_alive(h)`,
    [id],
  );
  return row === undefined ? null : decodeHolder(row);
}

/** All who live, by their rows. They are few, however many runs they hold. */
export async function liveHolders(on: Queries): Promise<ReadonlyMap<number, LockHolder>> {
  const rows = await on.query<HolderRow>(
    `SELECT ${HOLDER_COLUMNS} FROM raymond.holders h WHERE raymond.is_alive(h)`,
  );
  return new Map(rows.map((row) => [row.row, decodeHolder(row)]));
}

/** Takes the rows away of processes that were not heard for a day. That of a machine stays: it says when it was heard last. */
export async function deleteStaleHolders(on: Queries): Promise<void> {
  await on.query(
    `DELETE FROM raymond.holders WHERE heartbeat_at < clock_timestamp() - interval '1 day'
        AND id NOT IN (SELECT holder FROM raymond.machines WHERE holder IS NOT NULL)`,
  );
}

/** What is asked of a row of `raymond.holders` that is called `h`. */
export const HOLDER_COLUMNS = `h.id AS row, coalesce(h.machine, h.host) AS host, h.pid, h.identity,
  h.started_at, h.heartbeat_at`;

/** What {@link HOLDER_COLUMNS} give. */
export interface HolderRow {
  readonly row: number;
  readonly host: string;
  readonly pid: number;
  readonly identity: string;
  readonly started_at: Date;
  readonly heartbeat_at: Date;
}

/** A holder as people are told. The database sees every one. */
export function decodeHolder({
  host,
  pid,
  identity,
  started_at,
  heartbeat_at,
}: Omit<HolderRow, "row">): LockHolder {
  const [startedAt, heardAt] = [started_at.toISOString(), heartbeat_at.toISOString()];
  return { host, pid, identity, startedAt, visible: true, lastSeenAt: heardAt };
}
