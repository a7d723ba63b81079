import type { Queries } from "../../../src/fleet/store/database.ts";

let keys = 0;

/** A row of `raymond.holders` whose lease does not expire during a test. */
export async function liveHolder(on: Queries): Promise<number> {
  keys += 1;
  const [row] = await on.query<{ id: number }>(
    `INSERT INTO raymond.holders (lock_key, host, pid, identity, place, heartbeat_at)
     VALUES ($1, 'here', 7, 'p7', '{"ttlMs": 30000000}', clock_timestamp()) RETURNING id`,
    [keys],
  );
  return row?.id ?? 0;
}

/** Expires the lease of the holder. */
export async function expireHolder(on: Queries, holder: number): Promise<void> {
  await on.query("UPDATE raymond.holders SET heartbeat_at = 'epoch' WHERE id = $1", [holder]);
}
