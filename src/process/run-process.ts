import { setMaxListeners } from "node:events";
import type { ProcessCall, ProcessEnd, RunningProcess } from "../ports/process.ts";
import { followChild } from "./followed-child.ts";
import { isPassingCode, nextPause } from "./passing-shortage.ts";
import type { ProcessPlatform } from "./platform.ts";
import { thisPlatform } from "./platforms.ts";
import { pause, settlesNext, settlesWithin } from "./settles-within.ts";
import type { Spawned } from "./spawned.ts";
import type { Terminated } from "./terminate.ts";

/** What tests change: real pauses would make them slow, and not every platform is at hand. */
export interface ProcessTimes {
  /** Between two signals, ms. */
  readonly rungMs?: number;
  /** For pipes that are still held after the exit, ms. */
  readonly drainMs?: number;
  readonly platform?: ProcessPlatform;
}

/**
 * Runs a child process to its end (docs/authoring.md, "Scripts"). It is over
 * when it has exited, plus at most one second for pipes that its background
 * children hold; these live on, and what they still write is dropped. Where the
 * system has no room for another process (EAGAIN, EMFILE, ENOMEM) it is tried
 * again until there is, or until the call is cancelled. `done` rejects only for
 * bugs, an exception of an output callback among them.
 */
export function startProcess(call: ProcessCall, times: ProcessTimes = {}): RunningProcess {
  const ending = endingOf(call);
  const done = run(call, ending, {
    rungMs: times.rungMs ?? 2_000,
    drainMs: times.drainMs ?? 1_000,
    platform: times.platform ?? thisPlatform,
  });
  return { done: done.finally(ending.dispose), end: ending.begin };
}

/** The wish that a process ends. */
interface Ending {
  /** It shall end. */
  readonly wanted: AbortSignal;
  /** It shall end now; `wanted` is aborted as well. */
  readonly hurry: AbortSignal;
  readonly begin: () => void;
  /** Begins at once, for a bug. */
  readonly kill: () => void;
  readonly dispose: () => void;
}

/** Joins the three ways to ask for an end. Listens on signals that many processes share. */
function endingOf({ cancellation }: ProcessCall): Ending {
  const wanted = new AbortController();
  const hurry = new AbortController();
  const begin = (): void => {
    wanted.abort();
  };
  const kill = (): void => {
    hurry.abort();
    wanted.abort();
  };
  // Node takes more than ten listeners on a signal for a leak; here each is a process.
  setMaxListeners(0, cancellation.interrupt, cancellation.kill);
  cancellation.kill.addEventListener("abort", kill);
  cancellation.interrupt.addEventListener("abort", begin);
  if (cancellation.interrupt.aborted) begin();
  if (cancellation.kill.aborted) kill();
  const dispose = (): void => {
    cancellation.kill.removeEventListener("abort", kill);
    cancellation.interrupt.removeEventListener("abort", begin);
  };
  return { wanted: wanted.signal, hurry: hurry.signal, begin, kill, dispose };
}

async function run(
  call: ProcessCall,
  ending: Ending,
  times: Required<ProcessTimes>,
): Promise<ProcessEnd> {
  const started = process.uptime() * 1000;
  const end = (facts: Partial<ProcessEnd>): ProcessEnd => ({
    exitCode: null,
    signal: null,
    spawnError: null,
    ended: false,
    leftOpen: false,
    ...facts,
    durationMs: Math.round(process.uptime() * 1000 - started),
  });

  const spawned = await spawnPatiently(call, ending.wanted, times.platform);
  if (spawned === null) return end({ ended: true });
  if (!spawned.ok) return end({ spawnError: { code: spawned.code, message: spawned.message } });

  const child = followChild(spawned, call, ending.kill);
  call.onStart?.(child.pid);
  await Promise.race([child.exited, aborted(ending.wanted)]);
  const tree = { ...child, token: call.token };
  const { signalled, ...lives }: Terminated = child.running()
    ? await times.platform.terminate(tree, { rungMs: times.rungMs, hurry: ending.hurry })
    : { signalled: false };
  const closed =
    (await settlesWithin(child.closed, times.drainMs, ending.hurry)) ||
    (await settlesNext(child.closed));
  child.release();

  const bug = child.bug();
  if (bug !== null) throw bug.error;
  return end({ ...child.exit(), ...lives, ended: signalled, leftOpen: !closed });
}

/** Waits out the moments in which the system has no room; null when it was cancelled. */
async function spawnPatiently(
  call: ProcessCall,
  cancelled: AbortSignal,
  platform: ProcessPlatform,
): Promise<Spawned | null> {
  for (let ms = nextPause(null); !cancelled.aborted; ms = nextPause(ms)) {
    const spawned = await platform.spawn(call);
    if (spawned.ok || !isPassingCode(spawned.code)) return spawned;
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
