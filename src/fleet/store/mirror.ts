import { appendFile, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { Queries } from "./database.ts";
import { eventsAfter } from "./events.ts";
import { mirrorFolder } from "./mirror-folder.ts";

/** The store of a fleet for somebody who looks at runs of other machines. */
export interface Mirror<S extends Store> {
  readonly store: S;
  /** A folder for what else is copied. */
  readonly folder: string;
  /** The copy of a run's log goes away: it is made anew when somebody looks again. */
  evict(id: RunId): Promise<void>;
  /** Nothing of what was copied stays. */
  end(): Promise<void>;
}

/**
 * The store, with copies of event logs where commands look for them: each look at a run
 * brings the copy of its log up to date. What else its artifacts are lies on the machine
 * that runs it, and is not there.
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
    // What nobody has begun has a log of nothing, and not none.
    if (!copied.has(id)) await appendFile(events, "", { mode: 0o600 });
    for (;;) {
      const lines = await eventsAfter(on, id, copied.get(id) ?? 0);
      const last = lines.at(-1);
      if (last === undefined) return;
      await appendFile(events, lines.map(({ line }) => `${line}\n`).join(""), { mode: 0o600 });
      copied.set(id, last.seq);
    }
  }
  /** One after the other, or lines would be there twice. */
  function upToDate(id: RunId): Promise<void> {
    const next = (copying.get(id) ?? Promise.resolve()).then(() => copy(id));
    copying.set(
      id,
      next.catch(() => undefined),
    );
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
        // First who holds it: who has let it go has told all before that.
        const holder = await store.holder(id);
        await upToDate(id);
        return holder;
      },
      artifacts: async (id) => {
        await upToDate(id);
        return store.artifacts(id);
      },
    },
    end: async () => {
      await rm(root, { recursive: true, force: true });
      await swept;
    },
  };
}
