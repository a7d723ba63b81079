import { availableParallelism } from "node:os";
import type { Clock } from "../../../engine/ports/clock.ts";
import type { Observer } from "../../../engine/ports/observer.ts";
import type { ProcessEnd, RunningProcess, StartProcess } from "../../../engine/ports/process.ts";
import type { Event } from "../../../machine/model/event.ts";
import type { System } from "../../../wire/system/system.ts";
import { Semaphore } from "./semaphore.ts";

/*
 * A worker may receive thousands of runs at once, or thousands of waits may end at the same moment.
 * If all of them started together, each would be as late as the last one, and memory would hold the
 * startup data of all. So only a few start at the same time.
 */

/** Limits how many runs start at once: enough that the worker never idles on the database. */
export function runStartLimit(clock: Clock): Semaphore {
  return new Semaphore(16 * availableParallelism(), { clock, afterMs: 1_000 });
}

/** Calls back when a run has started: it executes a step, waits, or has ended. */
export function onceStarted(started: () => void): Observer {
  return {
    notify: ({ type }) => {
      if (STARTED.has(type)) started();
    },
  };
}

const STARTED: ReadonlySet<Event["type"]> = new Set([
  ...(["step.started", "agent.waiting", "agent.retrying", "agent.asked", "agent.opened"] as const),
  ...(["run.waiting", "run.still-waiting", "run.ended"] as const),
]);

/** The system of a worker with a limit on short-lived processes, since each keeps a processor busy. */
export function withStartLimit(system: System): System {
  const { processes, clock } = system;
  const permits = new Semaphore(4 * availableParallelism(), { clock, afterMs: 100 });
  return { ...system, processes: { ...processes, start: limitStarts(processes.start, permits) } };
}

/**
 * Limits how many processes run at once. A process that is cancelled while it waits for a permit
 * never starts.
 */
export function limitStarts(start: StartProcess, permits: Semaphore): StartProcess {
  return (call) => {
    const { interrupt, kill } = call.cancellation;
    const ended = new AbortController();
    let running: RunningProcess | null = null;
    const run = async (): Promise<ProcessEnd> => {
      const release = await permits.acquire(ended.signal, interrupt, kill);
      const { signal } = ended;
      // With an aborted cancellation `start` runs nothing and reports that.
      running = start(
        signal.aborted ? { ...call, cancellation: { interrupt: signal, kill } } : call,
      );
      return running.done.finally(() => release?.());
    };
    return {
      done: run(),
      end: () => {
        ended.abort();
        running?.end();
      },
    };
  };
}
