import { setTimeout as delay } from "node:timers/promises";
import type { RunningProcess, StartProcess } from "../../engine/ports/process.ts";

/*
 * Short-lived helper processes, such as a version check of the client, that are not part of a run:
 * P1  A signal that would end this process ends them first, unless other code in this process
 *     listens to the signal.
 *     No other one starts then: what waits for their ends continues before this process ends.
 * P2  They are killed when this process exits in another way. Only SIGKILL leaves them running.
 */

interface Helper {
  readonly kill: AbortController;
  readonly running: RunningProcess;
  pid: number | null;
}

const helpers = new Set<Helper>();
/** A signal ends this process. */
let isEnding = false;

/** Wraps `start` so that the processes end with this process. */
export function startHelpers(start: StartProcess): StartProcess {
  return (call) => {
    if (isEnding) return { done: new Promise(() => undefined), end: () => undefined };
    const kill = new AbortController();
    // Before the start: a signal could arrive as soon as the process runs.
    if (helpers.size === 0) listen();
    const cancellation = {
      ...call.cancellation,
      kill: AbortSignal.any([call.cancellation.kill, kill.signal]),
    };
    const running = start({
      ...call,
      cancellation,
      onStart: (pid) => {
        helper.pid = pid;
        call.onStart?.(pid);
      },
    });
    const helper: Helper = { kill, running, pid: null };
    helpers.add(helper);
    const forget = () => {
      helpers.delete(helper);
      if (helpers.size === 0) stopListening();
    };
    running.done.then(forget, forget);
    return running;
  };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function listen(): void {
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on("exit", onExit);
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal);
  process.off("exit", onExit);
}

function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  isEnding = true;
  const all = [...helpers];
  for (const { kill } of all) kill.abort();
  const ended = Promise.allSettled(all.map(({ running }) => running.done));
  void Promise.race([ended, delay(LONGEST_MS)]).then(() => {
    stopListening();
    // Without other listeners, the default action ends this process.
    process.kill(process.pid, signal);
  });
}

const LONGEST_MS = 3_000;

function onExit(): void {
  for (const { pid } of helpers) {
    if (pid === null) continue;
    try {
      process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    } catch {
      // Already ended.
    }
  }
}
