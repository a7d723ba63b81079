import { appendFile, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Queries } from "./database.ts";
import { eventsAfter } from "./events.ts";
import { mirrorFolder } from "./mirror-folder.ts";

/** The store of a fleet, with local copies of event logs. */
export interface Mirror<S extends Store> {
  readonly store: S;
  /** A temporary folder for this and other copies. */
  readonly folder: string;
  /** Deletes the copied log of a run until its next use. */
  evict(id: RunId): Promise<void>;
  /** Deletes all copies. */
  end(): Promise<void>;
}

/**
 * A store that updates the copy of a run's event log whenever a command asks for the holder or the artifacts
 * of the run. Other artifacts are only on the machine of the run.
 */
export async function openMirror<S extends Store>(
  open: (root: string) => S,
  on: Queries,
): Promise<Mirror<S>> {
  const { folder: root, swept } = await mirrorFolder();
  const store = open(root);
  const copied = new Map<RunId, number>();
  const copying = new Map<RunId, Promise<void>>();

  async function copy(id: RunId): Promise<void> {
    const { events } = await store.artifacts(id);
    await mkdir(path.dirname(events), { recursive: true, mode: 0o700 });
    // A run without events has an empty log.
    if (!copied.has(id)) await appendFile(events, "", { mode: 0o600 });
    for (;;) {
      const lines = await eventsAfter(on, id, copied.get(id) ?? 0);
      const last = lines.at(-1);
      if (last === undefined) return;
      await appendFile(events, lines.map(({ line }) => `${line}\n`).join(""), { mode: 0o600 });
      copied.set(id, last.seq);
    }
  }
  /** Concurrent copies would write lines twice. */
  function update(id: RunId): Promise<void> {
    const next = (copying.get(id) ?? Promise.resolve()).then(() => copy(id));
    const settled = next.catch(() => undefined);
    copying.set(id, settled);
    return next;
  }
  return {
    folder: root,
    evict: async (id) => {
      await copying.get(id);
      copying.delete(id);
      copied.delete(id);
      const { events } = await store.artifacts(id);
      await rm(path.dirname(events), { recursive: true, force: true });
    },
    store: {
      ...store,
      holder: async (id) => {
        // In this order: a holder stores all events before it releases the run.
        const holder = await store.holder(id);
        await update(id);
        return holder;
      },
      artifacts: async (id) => {
        await update(id);
        return store.artifacts(id);
      },
    },
    end: async () => {
      await rm(root, { recursive: true, force: true });
      await swept;
    },
  };
}
