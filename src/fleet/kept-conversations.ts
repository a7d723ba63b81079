import { rm } from "node:fs/promises";
import path from "node:path";
import type { RunId } from "../core/machine/run-state.ts";
import type { Store } from "../ports/store.ts";
import type { Database } from "../stores/postgres/database.ts";
import { findPlacement } from "../stores/postgres/placed-runs.ts";

/** Where the conversations of a run are kept in a folder that all machines have. */
export function keptIn(folder: string, id: RunId): string {
  return path.join(folder, id);
}

/** A store that deletes with a run what is kept of its conversations outside the database. */
export function withKeptConversations<S extends Store>(store: S, database: Database): S {
  return {
    ...store,
    remove: async (id, how) => {
      const sessions = (await findPlacement(database, id))?.placement.sessions;
      await store.remove(id, how);
      if (sessions?.kind !== "dir") return;
      await rm(keptIn(sessions.folder, id), { recursive: true, force: true });
    },
  };
}
