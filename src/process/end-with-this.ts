import { setTimeout as delay } from "node:timers/promises";
import type { RunningProcess, StartProcess } from "../ports/process.ts";

/*
 * Short-lived helper processes, such as a question to the client, which no record of a run names:
 *
 * P1  A signal that would end this process ends them first. Where something else in this process
 *     listens to the signal, that decides what becomes of them.
 * P2  However else this process exits, they are killed. A SIGKILL alone leaves them behind.
 */

interface Helper {
  readonly kill: AbortController;
  readonly running: RunningProcess;
  pid: number | null;
}

const helpers = new Set<Helper>();

/** Starts processes that end with this process. */
export function endingWithThis(start: StartProcess): StartProcess {
  return (call) => {
    const kill = new AbortController();
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
    if (helpers.size === 0) listen();
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
  const all = [...helpers];
  for (const { kill } of all) kill.abort();
  const ended = Promise.allSettled(all.map(({ running }) => running.done));
  void Promise.race([ended, delay(LONGEST_MS)]).then(() => {
    stopListening();
    // Nothing else listens: this process ends as it would have at once.
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
      // It has ended meanwhile.
    }
  }
}
