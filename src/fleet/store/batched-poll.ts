import { setTimeout as delay } from "node:timers/promises";

/** Asks for many keys with one statement. */
export type AskForAll<Key, Found> = (keys: readonly Key[]) => Promise<ReadonlyMap<string, Found>>;

/**
 * Polls for many callers with one statement: all that ask before it is sent get their answer from it. The next
 * is sent `everyMs` later at the earliest, and `restMs` later after one that failed. So a hundred
 * runs that are watched cost the database as many statements as one.
 */
export function batchedPoll<Key, Found>(
  ask: AskForAll<Key, Found>,
  nameOf: (key: Key) => string,
  { everyMs, restMs }: { readonly everyMs: number; readonly restMs: number },
): (key: Key) => Promise<Found | null> {
  let wanted = new Map<string, Key>();
  let next: Promise<ReadonlyMap<string, Found>> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let notBefore = 0;

  const askAfter = async (before: Promise<unknown>) => {
    await before.catch(() => undefined);
    await delay(Math.max(0, notBefore - performance.now()));
    const keys = [...wanted.values()];
    wanted = new Map();
    next = null;
    let rest = restMs;
    try {
      const found = await ask(keys);
      rest = everyMs;
      return found;
    } finally {
      notBefore = performance.now() + rest;
    }
  };
  return async (key) => {
    const name = nameOf(key);
    wanted.set(name, key);
    if (next === null) {
      next = askAfter(last);
      last = next;
    }
    return (await next).get(name) ?? null;
  };
}
