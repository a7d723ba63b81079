import { rm } from "node:fs/promises";
import type { Store } from "../../../engine/ports/store.ts";
import type { Queues } from "../../queue/queues.ts";
import type { Database } from "../../store/database.ts";
import { findPlacement } from "../../store/rows/placed-runs.ts";
import { transcriptsFolderOf } from "./portable-transcripts.ts";

/**
 * A store that deletes with a run what lies beside its rows: what its queue remembers of it, as what is
 * enqueued twice by one name is as once, and nobody would take a run that is called so again; and what is
 * kept of its conversations outside the database.
 */
export function deletingEverywhere<S extends Store>(
  store: S,
  database: Database,
  queues: () => Promise<Queues>,
): S {
  return {
    ...store,
    remove: async (id, how) => {
      const placement = (await findPlacement(database, id))?.placement;
      await store.remove(id, how);
      if (placement === undefined) return;
      await (await queues()).forget(id, placement);
      const { sessions } = placement;
      if (sessions.kind !== "dir") return;
      await rm(transcriptsFolderOf(sessions.folder, id), { recursive: true, force: true });
    },
  };
}
