import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { StateName } from "../core/protocol/transition.ts";
import type { Scope } from "../ports/scope.ts";
import type { StateChange } from "../ports/workflows.ts";

/**
 * The content that state files had when this process opened their workflow. Invariant: a file that is not recorded,
 * in a workflow that is, was added or changed later.
 */
export class KnownStates {
  readonly #hashes = new Map<string, string>();
  readonly #recorded = new Set<string>();
  /** Epoch ms. */
  readonly #since: number;

  constructor(since: number) {
    this.#since = since;
  }

  /**
   * Records the states of a workflow, once. One that is opened during the run (`late`) may have been changed before:
   * files written since the run started are left out, or all of them where `original`, which was copied, is newer.
   */
  async record(scope: Scope, late: { readonly original: string | null } | null): Promise<void> {
    if (this.#recorded.has(scope.dir)) return;
    const names = await scope.names();
    this.#recorded.add(scope.dir);
    const original = late?.original ?? null;
    if (original !== null && this.#isNewer(original)) return;
    for (const name of names) {
      const file = scope.path(name);
      const hash = late !== null && original === null && this.#isNewer(file) ? null : hashOf(file);
      if (hash !== null) this.#hashes.set(file, hash);
    }
  }

  /** How a state differs from what was recorded; null where it does not, or nothing was recorded. */
  changeOf(scope: Scope, name: StateName): StateChange | null {
    if (!this.#recorded.has(scope.dir)) return null;
    const file = scope.path(name);
    const known = this.#hashes.get(file);
    const hash = hashOf(file);
    if (hash === null || hash === known) return null;
    return known === undefined ? "added" : "changed";
  }

  /** Records a state as it is now. */
  accept(scope: Scope, name: StateName): void {
    const file = scope.path(name);
    const hash = hashOf(file);
    if (hash !== null) this.#hashes.set(file, hash);
  }

  #isNewer(file: string): boolean {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && found.ctimeMs > this.#since;
  }
}

/** Null for a file that cannot be read: loading it reports why. */
function hashOf(file: string): string | null {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch {
    return null;
  }
}
