import type { Leftovers, Swept } from "../../src/ports/leftovers.ts";

const nothing = (): Promise<Swept> => Promise.resolve({ ended: [], left: [] });

/** Of steps that leave nothing running. */
export const NO_LEFTOVERS: Leftovers = {
  find: () => Promise.resolve([]),
  end: nothing,
  endStep: nothing,
};
