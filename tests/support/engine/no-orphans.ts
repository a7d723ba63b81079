import type { OrphanCleanup, OrphanProcesses } from "../../../src/engine/ports/orphans.ts";

const nothing = (): Promise<OrphanCleanup> => Promise.resolve({ ended: [], remaining: [] });

/** Steps leave no processes behind. */
export const NO_ORPHANS: OrphanProcesses = {
  find: () => Promise.resolve([]),
  end: nothing,
  endStep: nothing,
};
