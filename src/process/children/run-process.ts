import { setMaxListeners } from "node:events";
import type { ProcessCall, ProcessEnd, RunningProcess } from "../../engine/ports/process.ts";
import type { ProcessPlatform } from "../platform/platform.ts";
import { thisPlatform } from "../platform/platforms.ts";
import { pause, settlesNext, settlesWithin } from "../settles-within.ts";
import type { TerminateResult } from "../terminate.ts";
import { isTransientCode, nextDelay } from "../transient-shortage.ts";
import { followChild } from "./followed-child.ts";
import type { Spawned } from "./started-child.ts";

/** Test parameters. */
export interface ProcessTimes {
  /** Pause between two signals, ms. */
  readonly rungMs?: number;
  /** Wait for pipes that are still open after the exit, ms. */
  readonly drainMs?: number;
  readonly platform?: ProcessPlatform;
}

/**
 * Runs a child process to its end (docs/authoring.md, "Scripts"). It ends with its exit, plus at
 * most one second for pipes that background children hold. These continue running, and their later
 * output is discarded. If the system has no room for another process (EAGAIN, EMFILE, ENOMEM),
 * retries until there is, or until the call is cancelled. `done` rejects only for bugs, including
 * an exception of an output callback.
 */
export function startProcess(call: ProcessCall, times: ProcessTimes = {}): RunningProcess {
  const endRequest = endRequestOf(call);
  const done = run(call, endRequest, {
    rungMs: times.rungMs ?? 2_000,
    drainMs: times.drainMs ?? 1_000,
    platform: times.platform ?? thisPlatform,
  });
  return { done: done.finally(endRequest.dispose), end: endRequest.begin };
}

interface EndRequest {
  readonly requested: AbortSignal;
  /** Kill the process now; `requested` is aborted too. */
  readonly hurry: AbortSignal;
  readonly begin: () => void;
  /** Kills at once, after a bug. */
  readonly kill: () => void;
  readonly dispose: () => void;
}

/** Combines the three ways to end a process. The signals are shared by many processes. */
function endRequestOf({ cancellation }: ProcessCall): EndRequest {
  const requested = new AbortController();
  const hurry = new AbortController();
  const begin = (): void => {
    requested.abort();
  };
  const kill = (): void => {
    hurry.abort();
    requested.abort();
  };
  // Node would warn of a leak at more than ten listeners; here each listener is a process.
  setMaxListeners(0, cancellation.interrupt, cancellation.kill);
  cancellation.kill.addEventListener("abort", kill);
  cancellation.interrupt.addEventListener("abort", begin);
  if (cancellation.interrupt.aborted) begin();
  if (cancellation.kill.aborted) kill();
  const dispose = (): void => {
    cancellation.kill.removeEventListener("abort", kill);
    cancellation.interrupt.removeEventListener("abort", begin);
  };
  return { requested: requested.signal, hurry: hurry.signal, begin, kill, dispose };
}

async function run(
  call: ProcessCall,
  endRequest: EndRequest,
  times: Required<ProcessTimes>,
): Promise<ProcessEnd> {
  const started = process.uptime() * 1000;
  const end = (facts: Partial<ProcessEnd>): ProcessEnd => ({
    exitCode: null,
    signal: null,
    spawnError: null,
    endedByRaymond: false,
    leftOpen: false,
    ...facts,
    durationMs: Math.round(process.uptime() * 1000 - started),
  });

  const spawned = await spawnPatiently(call, endRequest.requested, times.platform);
  if (spawned === null) return end({ endedByRaymond: true });
  if (!spawned.ok) return end({ spawnError: { code: spawned.code, message: spawned.message } });

  const child = followChild(spawned.child, call, endRequest.kill);
  call.onStart?.(child.pid);
  await Promise.race([child.exited, aborted(endRequest.requested)]);
  const tree = { ...child, token: call.token };
  const { signalled, ...lives }: TerminateResult = child.running()
    ? await times.platform.terminate(tree, { rungMs: times.rungMs, hurry: endRequest.hurry })
    : { signalled: false };
  const closed =
    (await settlesWithin(child.closed, times.drainMs, endRequest.hurry)) ||
    (await settlesNext(child.closed));
  child.release();

  const bug = child.bug();
  if (bug !== null) throw bug.error;
  return end({ ...child.exit(), ...lives, endedByRaymond: signalled, leftOpen: !closed });
}

/** Retries while the system has no room; null if cancelled. */
async function spawnPatiently(
  call: ProcessCall,
  cancelled: AbortSignal,
  platform: ProcessPlatform,
): Promise<Spawned | null> {
  for (let ms = nextDelay(null); !cancelled.aborted; ms = nextDelay(ms)) {
    const spawned = await platform.spawn(call);
    if (spawned.ok || !isTransientCode(spawned.code)) return spawned;
    await pause(ms, cancelled);
  }
  return null;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
}
