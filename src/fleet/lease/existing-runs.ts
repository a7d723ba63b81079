import type { RunId } from "../../machine/run-state.ts";
import type { Database, Queries } from "../store/database.ts";

/** Those of these runs that the fleet has. */
export async function existingRuns(
  on: Queries,
  ids: readonly RunId[],
): Promise<ReadonlySet<RunId>> {
  const rows = await on.query<{ id: RunId }>("SELECT id FROM raymond.runs WHERE id = ANY($1)", [
    ids,
  ]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Does what takes no time while there is no run of this id, and none can come to be: whoever submits one
 * waits for the row that is there meanwhile, and nobody sees it. False where there is such a run.
 */
export function whileAbsent(
  database: Database,
  id: RunId,
  act: () => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (on) => {
    const made = await on.query(
      `INSERT INTO raymond.runs (id, epoch) VALUES ($1, nextval('raymond.epochs'))
        ON CONFLICT DO NOTHING RETURNING 1`,
      [id],
    );
    if (made.length === 0) return false;
    await act();
    await on.query("DELETE FROM raymond.runs WHERE id = $1", [id]);
    return true;
  });
}

/** Names a fleet for ever, also after its database was moved or restored: by when its tables were made. */
export async function fleetId(on: Queries): Promise<string> {
  const [row] = await on.query<{ made: string }>(
    "SELECT extract(epoch FROM min(applied_at))::text AS made FROM raymond.migrations",
  );
  return row?.made ?? "";
}

/** The repositories of those of these runs that work in a clone. */
export async function repositoriesOf(
  on: Queries,
  ids: readonly RunId[],
): Promise<ReadonlyMap<RunId, string>> {
  const rows = await on.query<{ id: RunId; repository: string }>(
    `SELECT id, placement->'workspace'->>'repository' AS repository FROM raymond.runs
      WHERE id = ANY($1) AND placement->'workspace'->>'kind' = 'git'`,
    [ids],
  );
  return new Map(rows.map(({ id, repository }) => [id, repository]));
}
