import path from "node:path";
import type { RunId } from "../../machine/model/run-state.ts";
import { serveErrors } from "../server/errors.ts";
import type { ServedFolder } from "../server/served-folder.ts";
import { RunWatch } from "./run-watch.ts";
import { watchedRun } from "./watched-run.ts";

interface Entry {
  readonly watch: RunWatch;
  readonly of: ServedFolder;
}

/** One watch per run that clients use. Idle watches are dropped. */
export class RunWatches {
  readonly #watches = new Map<string, Entry>();

  /** Rejects with a RaymondError if there is no such run. */
  async watch(of: ServedFolder, id: RunId): Promise<RunWatch> {
    const key = path.join(of.root, id);
    // A watch of a fleet run has its last known state, also while the database is unavailable.
    const before = of.board === null ? undefined : this.#watches.get(key);
    if (before !== undefined) return before.watch;
    const found = await watchedRun(of, id);
    if (found === null) throw serveErrors["serve/no-such-run"](id);
    // Another request may have created it in the meantime.
    const known = this.#watches.get(key);
    if (known !== undefined) return known.watch;
    const watch = new RunWatch(found);
    this.#dropIdle();
    this.#watches.set(key, { watch, of });
    return watch;
  }

  #dropIdle(): void {
    for (const [key, { watch, of }] of this.#watches) {
      if (!watch.isIdle() && this.#watches.size < MAX_WATCHES) continue;
      this.#watches.delete(key);
      void of.board?.forget(watch.of.id).catch(() => undefined);
    }
  }
}

/** Above it the oldest watch is dropped, and created again if a client still uses it. */
const MAX_WATCHES = 32;
