import type { RunId } from "../../../machine/run-state.ts";
import type { Queries } from "../database.ts";

/** The bytes of what the rows of these runs hold. What the disk of the server gets back, and when, is another matter. */
export async function sizesOf(
  on: Queries,
  ids: readonly RunId[],
): Promise<ReadonlyMap<RunId, number>> {
  const rows = await on.query<{ id: RunId; bytes: number }>(SIZES, [ids]);
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** What a run may have much of: its tables, and the column that is long. */
const LONG = [
  ["payloads", "bytes"],
  ["events", "line"],
  ["journal", "record"],
  ["transcripts", "bytes"],
] as const;

const SIZES = `
SELECT id, (coalesce(octet_length(state), 0)${LONG.map(
  ([table, column]) =>
    ` + (SELECT coalesce(sum(octet_length(${column})), 0) FROM raymond.${table} WHERE run = r.id)`,
).join("")})::bigint AS bytes
FROM raymond.runs r WHERE id = ANY($1)`;
