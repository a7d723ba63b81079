import type { LockHolder } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Queries } from "../store/database.ts";

/** The live holder of a run; null for none. */
export async function holderOfRun(on: Queries, id: RunId): Promise<LockHolder | null> {
  const [row] = await on.query<HolderRow>(
    `SELECT ${HOLDER_COLUMNS} FROM raymond.runs r JOIN raymond.holders h ON h.id = r.holder
      WHERE r.id = $1 AND raymond.is_alive(h)`,
    [id],
  );
  return row === undefined ? null : decodeHolder(row);
}

/** All live holders, by id. They are few, however many runs they hold. */
export async function liveHolders(on: Queries): Promise<ReadonlyMap<number, LockHolder>> {
  const rows = await on.query<HolderRow>(
    `SELECT ${HOLDER_COLUMNS} FROM raymond.holders h WHERE raymond.is_alive(h)`,
  );
  return new Map(rows.map((row) => [row.row, decodeHolder(row)]));
}

/** Deletes holders without a heartbeat for a day, except those of machines, whose last heartbeat is shown. */
export async function deleteStaleHolders(on: Queries): Promise<void> {
  await on.query(
    `DELETE FROM raymond.holders WHERE heartbeat_at < clock_timestamp() - interval '1 day'
        AND id NOT IN (SELECT holder FROM raymond.machines WHERE holder IS NOT NULL)`,
  );
}

/** The columns of a {@link HolderRow}, of the table `h`. */
export const HOLDER_COLUMNS = `h.id AS row, coalesce(h.machine, h.host) AS host, h.pid, h.identity,
  h.started_at, h.heartbeat_at`;

export interface HolderRow {
  readonly row: number;
  readonly host: string;
  readonly pid: number;
  readonly identity: string;
  readonly started_at: Date;
  readonly heartbeat_at: Date;
}

/** The database can check every holder, so all are `visible`. */
export function decodeHolder(row: Omit<HolderRow, "row">): LockHolder {
  const { host, pid, identity, started_at: started, heartbeat_at: heartbeat } = row;
  return {
    ...{ host, pid, identity, startedAt: started.toISOString(), visible: true },
    lastSeenAt: heartbeat.toISOString(),
  };
}
