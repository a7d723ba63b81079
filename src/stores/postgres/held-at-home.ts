import type { RunId } from "../../core/machine/run-state.ts";
import type { HeldUp } from "../../ports/store.ts";
import type { Queries } from "./database.ts";
import { tied } from "./placement.ts";

/** What keeps a run of the fleet at its home, as far as it is kept by that. */
export async function heldAtHome(on: Queries, id: RunId): Promise<readonly HeldUp[]> {
  const [run] = await on.query<Tied>(TIED, [id]);
  if (run === undefined) return [];
  const { home, behind, lives } = run;
  const why = behind === null ? "" : `, and could not be pushed: ${behind}`;
  if (!lives) {
    return [{ agent: null, message: `waits for its home ${home}: its files are there${why}` }];
  }
  if (behind === null) return [];
  return [{ agent: null, message: `can go on nowhere else: its last files are on ${home}${why}` }];
}

interface Tied {
  readonly home: string;
  /** Why what is to travel cannot; null: it is not to. */
  readonly behind: string | null;
  /** There is a worker of it. */
  readonly lives: boolean;
}

const TIED = `
SELECT r.home, r.placement->'snapshot'->>'behind' AS behind, coalesce(raymond.lives(h), false) AS lives
  FROM raymond.runs r
  LEFT JOIN raymond.machines m ON m.id = r.home
  LEFT JOIN raymond.holders h ON h.id = m.holder
 WHERE r.id = $1 AND ${tied("r")} AND r.placement @> '{"open": true}'`;
