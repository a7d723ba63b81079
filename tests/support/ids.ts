import type { Ids } from "../../src/engine/ports/ids.ts";

/** Predictable ids: a prefix and a counter. */
export function numberedIds(prefix: string, next: () => number): Ids {
  return { session: () => `${prefix}${String(next())}` };
}
