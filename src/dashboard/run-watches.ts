import path from "node:path";
import type { RunId } from "../core/machine/run-state.ts";
import { runWithId } from "../runs/wire/stores.ts";
import { RunGoneError } from "./errors.ts";
import { RunWatch } from "./run-watch.ts";
import type { ServedFolder } from "./served-folder.ts";

/** The runs that are looked at: one watch each, which is forgotten when nobody looks any more. */
export class RunWatches {
  readonly #watches = new Map<string, RunWatch>();

  /** Rejects with a RaymondError where there is no such run. */
  async watch(of: ServedFolder, id: RunId): Promise<RunWatch> {
    const key = path.join(of.root, id);
    const named = await runWithId(of.root, id, of.caller);
    if (named === null) throw new RunGoneError(id);
    const known = this.#watches.get(key);
    if (known !== undefined) return known;
    const artifacts = await named.store.artifacts(id);
    // Another request may have come first meanwhile.
    const watch = this.#watches.get(key) ?? new RunWatch({ ...named, artifacts });
    this.#forgetIdle();
    this.#watches.set(key, watch);
    return watch;
  }

  #forgetIdle(): void {
    for (const [key, watch] of this.#watches) {
      if (watch.isIdle() || this.#watches.size >= MOST) this.#watches.delete(key);
    }
  }
}

/** Beyond it the one that was looked at first is forgotten, and read anew where somebody looks still. */
const MOST = 32;
