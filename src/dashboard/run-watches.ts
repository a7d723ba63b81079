import path from "node:path";
import type { RunId } from "../core/machine/run-state.ts";
import { RunGoneError } from "./errors.ts";
import { RunWatch } from "./run-watch.ts";
import type { ServedFolder } from "./served-folder.ts";
import { watchedRun } from "./watched-run.ts";

interface Kept {
  readonly watch: RunWatch;
  readonly of: ServedFolder;
}

/** The runs that are looked at: one watch each, which is forgotten when nobody looks any more. */
export class RunWatches {
  readonly #watches = new Map<string, Kept>();

  /** Rejects with a RaymondError where there is no such run. */
  async watch(of: ServedFolder, id: RunId): Promise<RunWatch> {
    const key = path.join(of.root, id);
    // What a database has is known by the watch itself, also while that is away.
    const before = of.board === null ? undefined : this.#watches.get(key);
    if (before !== undefined) return before.watch;
    const found = await watchedRun(of, id);
    if (found === null) throw new RunGoneError(id);
    // Another request may have come first meanwhile.
    const known = this.#watches.get(key);
    if (known !== undefined) return known.watch;
    const watch = new RunWatch(found);
    this.#forgetIdle();
    this.#watches.set(key, { watch, of });
    return watch;
  }

  #forgetIdle(): void {
    for (const [key, { watch, of }] of this.#watches) {
      if (!watch.isIdle() && this.#watches.size < MOST) continue;
      this.#watches.delete(key);
      void of.board?.forget(watch.of.id).catch(() => undefined);
    }
  }
}

/** Beyond it the one that was looked at first is forgotten, and read anew where somebody looks still. */
const MOST = 32;
