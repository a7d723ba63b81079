import type { Queries } from "../../src/stores/postgres/database.ts";

let keys = 0;

/** A row of `raymond.holders` that lives for as long as a test takes. */
export async function holderThatLives(on: Queries): Promise<number> {
  keys += 1;
  const [row] = await on.query<{ id: number }>(
    `INSERT INTO raymond.holders (lock_key, host, pid, identity, place, heard_at)
     VALUES ($1, 'here', 7, 'p7', '{"ttlMs": 30000000}', clock_timestamp()) RETURNING id`,
    [keys],
  );
  return row?.id ?? 0;
}

/** It was not heard for as long as it may not be. */
export async function dieNow(on: Queries, holder: number): Promise<void> {
  await on.query("UPDATE raymond.holders SET heard_at = 'epoch' WHERE id = $1", [holder]);
}
