import type { Blocker } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { Queries } from "../store/database.ts";

/** What keeps a run at its home that goes on there, and was to be able to go on elsewhere. */
export async function heldAtHome(on: Queries, id: RunId): Promise<readonly Blocker[]> {
  const [run] = await on.query<Tied>(TIED, [id]);
  if (run === undefined) return [];
  const { home, behind } = run;
  const message = `can run only on ${home}: its last files could not be pushed: ${behind}`;
  return [{ agent: null, message }];
}

interface Tied {
  readonly home: string;
  /** Why what is to travel cannot. */
  readonly behind: string;
}

const TIED = `
SELECT r.home, r.placement->'snapshot'->>'behind' AS behind
  FROM raymond.runs r JOIN raymond.machines m ON m.id = r.home JOIN raymond.holders h ON h.id = m.holder
 WHERE r.id = $1 AND r.placement->'snapshot'->>'behind' IS NOT NULL AND r.placement @> '{"open": true}'
   AND raymond.is_alive(h)`;
