import { setTimeout as delay } from "node:timers/promises";
import type { RunId } from "../../core/machine/run-state.ts";
import type { LockHolder, Remote, Store } from "../../ports/store.ts";
import { processHost } from "../../process/host.ts";
import { HolderOutOfReachError } from "../errors.ts";

type Held = Pick<Store, "holder" | "remote">;

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
  if (!(await holdsStill(store, id, expected))) return false;
  if (store.remote !== undefined) {
    await requestAsSignal(store.remote, id, signal);
    return true;
  }
  const sent = await processHost().signal(expected, signal);
  if (sent === "not-permitted" || sent === "only-pid") {
    throw new HolderOutOfReachError(id, expected, sent);
  }
  return sent === "sent";
}

/** Signals do not reach other machines: a request stands for them. The nudge has been sent as a request before. */
async function requestAsSignal(remote: Remote, id: RunId, signal: NodeJS.Signals): Promise<void> {
  if (signal === "SIGTERM") await remote.sendRequest(id, { stop: "interrupt" });
  if (signal === "SIGKILL") await remote.sendRequest(id, { stop: "kill" });
}

/** Whether that process holds the run under the same lock as before. */
export async function holdsStill(store: Held, id: RunId, holder: LockHolder): Promise<boolean> {
  return isSame(await store.holder(id), holder);
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
    if (!(await holdsStill(store, id, holder))) return true;
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
