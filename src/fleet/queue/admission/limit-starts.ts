import type { ProcessEnd, RunningProcess, StartProcess } from "../../../engine/ports/process.ts";
import type { Semaphore } from "./semaphore.ts";

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
