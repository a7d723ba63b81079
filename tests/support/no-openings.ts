import type { Openings } from "../../src/ports/openings.ts";

/** Nobody opens a conversation by hand. */
export const NO_OPENINGS: Openings = {
  list: () => Promise.resolve([]),
  forget: () => Promise.resolve(),
};
