import type { RunId } from "../../core/machine/run-state.ts";
import type { HeldUp } from "../../ports/store.ts";
import type { Queries } from "./database.ts";

/** What keeps a run of the fleet that its state does not tell of: its account. Most runs have none. */
export async function heldUp(on: Queries, id: RunId): Promise<readonly HeldUp[]> {
  const [run] = await on.query<Waiting>(WAITING, [id]);
  if (run === undefined) return [];
  const { account, having, there } = run;
  if (!there) {
    const who = having.length === 0 ? "no machine has it" : `gone: ${having.join(", ")}`;
    return [{ agent: null, message: `waits for a worker with the account ${account} (${who})` }];
  }
  return [];
}

interface Waiting {
  readonly account: string;
  /** The machines that have it, and may take the run. */
  readonly having: readonly string[];
  /** One of them lives. */
  readonly there: boolean;
}

/** A run that has an account, and that nobody goes on with who lives. */
const WAITING = `
SELECT r.account, coalesce(array_agg(m.id ORDER BY m.id) FILTER (WHERE m.id IS NOT NULL), '{}') AS having,
       coalesce(bool_or(raymond.lives(h)), false) AS there
  FROM raymond.runs r
  LEFT JOIN raymond.holders own ON own.id = r.holder
  LEFT JOIN raymond.machines m ON r.account = ANY(m.accounts) AND CASE
    WHEN r.placement->>'pinned' IS NOT NULL THEN m.id = r.placement->>'pinned'
    WHEN r.home IS NOT NULL AND r.placement->'workspace'->>'kind' = 'local' THEN m.id = r.home
    ELSE r.pool = ANY(m.pools) END
  LEFT JOIN raymond.holders h ON h.id = m.holder
 WHERE r.id = $1 AND r.account IS NOT NULL AND r.placement @> '{"open": true}'
   AND (own.id IS NULL OR NOT raymond.lives(own))
 GROUP BY r.id`;
