import type { Ids } from "../../src/ports/ids.ts";

/** Names that a test can foresee: the prefix, and what `next` counts. */
export function numberedIds(prefix: string, next: () => number): Ids {
  return { session: () => `${prefix}${String(next())}` };
}
