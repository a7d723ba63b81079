import type { RunId } from "../../machine/model/run-state.ts";
import type { Database, Queries } from "../store/database.ts";

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
 * Executes a short action while no run with this id exists or can be created: an uncommitted row blocks the
 * creation. False if the run exists.
 */
export function whileAbsent(
  database: Database,
  id: RunId,
  act: () => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (on) => {
    const inserted = await on.query(
      `INSERT INTO raymond.runs (id, epoch) VALUES ($1, nextval('raymond.epochs'))
        ON CONFLICT DO NOTHING RETURNING 1`,
      [id],
    );
    if (inserted.length === 0) return false;
    await act();
    await on.query("DELETE FROM raymond.runs WHERE id = $1", [id]);
    return true;
  });
}

/** Identifies a fleet, also after its database was moved or restored: the creation time of its tables. */
export async function fleetId(on: Queries): Promise<string> {
  const [row] = await on.query<{ created: string }>(
    "SELECT extract(epoch FROM min(applied_at))::text AS created FROM raymond.migrations",
  );
  return row?.created ?? "";
}

/** The repositories of those of these runs that have git workspaces. */
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
