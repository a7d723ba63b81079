import { statSync } from "node:fs";
import type { Scope } from "../engine/ports/scope.ts";
import type { StateChange } from "../engine/ports/workflows.ts";
import { hashOfRegularFile } from "../files/read-file.ts";
import { stampOf } from "./stamp.ts";

/** Changed states and schemas, by path: the previous hash; null for an added file. */
export type ChangedFiles = ReadonlyMap<string, string | null>;

/**
 * The content of states and schemas at the time when this process opened their workflow. Invariant:
 * a file without a hash, in a recorded workflow, was added or changed later. Changes that the
 * previous process left (`before`) count as changes during this one: a step made them.
 */
export class KnownStates {
  readonly #hashes = new Map<string, string>();
  /** Unchanged files whose stamp is known are not read again. */
  readonly #stamps = new Map<string, string>();
  /** By folder. */
  readonly #recorded = new Map<string, Scope>();
  /** Hashes of refused contents. */
  readonly #refused = new Map<string, string>();
  readonly #before: ChangedFiles;
  /** Epoch ms. */
  readonly #since: number;

  constructor(since: number, before: ChangedFiles = new Map()) {
    this.#since = since;
    this.#before = before;
  }

  /**
   * Records the states of a workflow, once. A workflow that is opened during the run (`late`) may
   * already have changed: skips files written since the run started, or all files if the copied
   * `original` is newer.
   */
  async record(scope: Scope, late: { readonly original: string | null } | null): Promise<void> {
    if (this.#recorded.has(scope.dir)) return;
    const names = await namesIn(scope);
    this.#recorded.set(scope.dir, scope);
    const original = late?.original ?? null;
    if (original !== null && this.#isNewer(original)) return;
    for (const name of names) {
      const file = scope.path(name);
      const before = this.#before.get(file);
      const isLate = late !== null && original === null && this.#isNewer(file);
      const hash = before !== undefined ? before : isLate ? null : hashOf(file);
      if (hash !== null) this.#hashes.set(file, hash);
    }
  }

  /** How a state differs from its recorded content; null if unchanged or not recorded. */
  changeOf(scope: Scope, name: string): StateChange | null {
    if (!this.#recorded.has(scope.dir)) return null;
    const file = scope.path(name);
    const known = this.#hashes.get(file);
    const stamp = stampOf(file, Date.now());
    if (stamp !== null && stamp === this.#stamps.get(file)) return null;
    const hash = hashOf(file);
    if (hash === null) return null;
    if (hash !== known) return known === undefined ? "added" : "changed";
    if (stamp !== null) this.#stamps.set(file, stamp);
    return null;
  }

  /** Records the current content. */
  accept(scope: Scope, name: string): void {
    const file = scope.path(name);
    const hash = hashOf(file);
    if (hash !== null) this.#hashes.set(file, hash);
  }

  /** Records that the current content was refused. */
  refuse(scope: Scope, name: string): void {
    const file = scope.path(name);
    const hash = hashOf(file);
    if (hash !== null) this.#refused.set(file, hash);
  }

  /** The changes that are neither accepted nor refused. */
  async changes(): Promise<ChangedFiles> {
    const changes = new Map(this.#before);
    for (const scope of this.#recorded.values()) {
      // The step that needs a missing folder reports it.
      for (const name of await namesIn(scope).catch(() => [])) {
        const file = scope.path(name);
        const hash = hashOf(file);
        const known = this.#hashes.get(file) ?? null;
        if (hash === known || hash === this.#refused.get(file)) changes.delete(file);
        else if (hash !== null) changes.set(file, known);
      }
    }
    return changes;
  }

  #isNewer(file: string): boolean {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && found.ctimeMs > this.#since;
  }
}

/** The states and schemas. */
async function namesIn(scope: Scope): Promise<readonly string[]> {
  return [...(await scope.names()), ...(await scope.schemas())];
}

/** Null for an unreadable file: loading it reports the reason. Scripts have no limit of size. */
function hashOf(file: string): string | null {
  try {
    return hashOfRegularFile(file);
  } catch {
    return null;
  }
}
