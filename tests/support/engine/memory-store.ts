import type { Store } from "../../../src/engine/ports/store.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { storageErrors } from "../../../src/storage/errors.ts";

/** An in-memory store that records all saves. */
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
        if (kept !== undefined) checkRevision(kept, expected);
        saves.push(run);
        resolve();
      }),
  };
}

/** Throws if the stored revision is not the expected one. */
export function checkRevision(kept: RunState, expected: number): void {
  if (kept.saves === expected) return;
  const { saves: revision, updatedAt: at } = kept;
  throw storageErrors["store/run-taken"](kept.id, { revision, expected, at, holder: null });
}
