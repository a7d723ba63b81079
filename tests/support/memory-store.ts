import type { RunState } from "../../src/core/machine/run-state.ts";
import type { Store } from "../../src/ports/store.ts";
import { RunTakenError } from "../../src/stores/errors.ts";

/** What an engine needs of a store, in memory, and all that it was given. */
export interface MemoryStore extends Pick<Store, "save"> {
  readonly saves: readonly RunState[];
}

export function memoryStore(): MemoryStore {
  const saves: RunState[] = [];
  return {
    saves,
    save: (run, expected) =>
      new Promise((resolve) => {
        const kept = saves.at(-1);
        if (kept !== undefined) refuseTaken(kept, expected);
        saves.push(run);
        resolve();
      }),
  };
}

/** Throws where another revision is kept than the one that a save goes on from. */
export function refuseTaken(kept: RunState, expected: number): void {
  if (kept.saves === expected) return;
  const { saves: revision, updatedAt: at } = kept;
  throw new RunTakenError(kept.id, { revision, expected, at, holder: null });
}
