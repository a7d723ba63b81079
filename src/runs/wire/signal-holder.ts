import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../../core/error-code.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import type { LockHolder, Store } from "../../ports/store.ts";
import { terminate } from "../../process/terminate.ts";
import { HolderOutOfReachError } from "../errors.ts";

type Held = Pick<Store, "holder">;

/**
 * Signals the process that holds the run, if it still is `expected`. The lock
 * knows its holder by more than the pid, and is asked right before: a pid that
 * is used again is never signalled. False when that process holds it no more;
 * rejects with HolderOutOfReachError where it cannot be signalled from here.
 */
export async function signalHolder(
  store: Held,
  id: RunId,
  signal: NodeJS.Signals,
  expected: LockHolder,
): Promise<boolean> {
  if (!expected.visible) throw new HolderOutOfReachError(id, expected, "elsewhere");
  if (!isSame(await store.holder(id), expected)) return false;
  try {
    await send(expected.pid, signal);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ESRCH") return false;
    if (code === "EPERM") throw new HolderOutOfReachError(id, expected, "not-permitted");
    throw error;
  }
}

/** Whether that process lets go of the run within `ms`: it ends, or dies. */
export async function isFreeWithin(
  store: Held,
  id: RunId,
  holder: LockHolder,
  ms: number,
): Promise<boolean> {
  const until = performance.now() + ms;
  for (let poll = FIRST_POLL_MS; ; poll = Math.min(2 * poll, LONGEST_POLL_MS)) {
    if (!isSame(await store.holder(id), holder)) return true;
    const left = until - performance.now();
    if (left <= 0) return false;
    await delay(Math.min(poll, left));
  }
}

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 200;

function isSame(holder: LockHolder | null, expected: LockHolder): boolean {
  return holder?.pid === expected.pid && holder.startedAt === expected.startedAt;
}

/** Windows has no signals: there the process is ended with all that descends from it. */
async function send(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (process.platform !== "win32") {
    process.kill(pid, signal);
    return;
  }
  const tree = { pid, token: "", running: () => true, exited: Promise.resolve() };
  const hurry = new AbortController().signal;
  await terminate(tree, { rungMs: 0, hurry, platform: process.platform });
}
