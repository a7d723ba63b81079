import { setTimeout as delay } from "node:timers/promises";
import type { RunId } from "../core/machine/run-state.ts";

/** One look at many runs. */
export type LookAtRuns<Seen> = (ids: readonly RunId[]) => Promise<ReadonlyMap<RunId, Seen>>;

/**
 * Looks at runs together: all that are asked for before a look begins are answered by it. The next
 * begins `everyMs` after it at the earliest, and `restMs` after one that has failed. So a hundred
 * runs that are watched cost the database as many questions as one.
 */
export function jointLook<Seen>(
  look: LookAtRuns<Seen>,
  { everyMs, restMs }: { readonly everyMs: number; readonly restMs: number },
): (id: RunId) => Promise<Seen | null> {
  let wanted = new Set<RunId>();
  let next: Promise<ReadonlyMap<RunId, Seen>> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let notBefore = 0;

  const lookAfter = async (before: Promise<unknown>) => {
    await before.catch(() => undefined);
    await delay(Math.max(0, notBefore - performance.now()));
    const ids = [...wanted];
    wanted = new Set();
    next = null;
    let rest = restMs;
    try {
      const seen = await look(ids);
      rest = everyMs;
      return seen;
    } finally {
      notBefore = performance.now() + rest;
    }
  };
  return async (id) => {
    wanted.add(id);
    if (next === null) {
      next = lookAfter(last);
      last = next;
    }
    return (await next).get(id) ?? null;
  };
}
