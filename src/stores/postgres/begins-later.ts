import type { RunId } from "../../core/machine/run-state.ts";
import type { HeldUp } from "../../ports/store.ts";
import type { Queries } from "./database.ts";

/** When a run begins that was submitted for later, until then. */
export async function beginsLater(on: Queries, id: RunId): Promise<readonly HeldUp[]> {
  const [run] = await on.query<{ readonly at: number }>(LATER, [id]);
  if (run === undefined) return [];
  return [{ agent: null, message: `begins at ${new Date(run.at).toISOString()}` }];
}

const LATER = `
SELECT (r.placement->>'at')::float8 AS at FROM raymond.runs r
 WHERE r.id = $1 AND r.home IS NULL AND r.placement @> '{"open": true}'
   AND (r.placement->>'at')::float8 > extract(epoch FROM clock_timestamp()) * 1000`;
