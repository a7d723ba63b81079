import { setTimeout as delay } from "node:timers/promises";
import { RaymondError } from "../../language/basics/errors.ts";

/**
 * What can be read, else nothing: who completes a word has not asked what is wrong with files, and waits for
 * no database that does not answer.
 */
export async function orNothing<Value>(read: () => Promise<Value>, nothing: Value): Promise<Value> {
  const over = new AbortController();
  try {
    const late = delay(PATIENCE_MS, nothing, { signal: over.signal }).catch(() => nothing);
    return await Promise.race([read(), late]);
  } catch (error) {
    if (error instanceof RaymondError) return nothing;
    throw error;
  } finally {
    over.abort();
  }
}

/** So long a person waits for what is offered. */
const PATIENCE_MS = 1_500;
