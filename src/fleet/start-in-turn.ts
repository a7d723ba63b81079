import type { ProcessEnd, RunningProcess, StartProcess } from "../ports/process.ts";
import type { Turns } from "./turns.ts";

/**
 * Starts processes in turns. A turn is over when its process has ended, or has run for long: what is short runs
 * beside few others, and what takes an hour keeps nothing from being started. A process that is to end before
 * its turn has come is never started.
 */
export function startInTurn(start: StartProcess, turns: Turns): StartProcess {
  return (call) => {
    const { interrupt, kill } = call.cancellation;
    const asked = new AbortController();
    let running: RunningProcess | null = null;
    const run = async (): Promise<ProcessEnd> => {
      const giveBack = await turns.take(asked.signal, interrupt, kill);
      const { signal } = asked;
      // What is to end already this does not start, and says so.
      const begun = start(
        signal.aborted ? { ...call, cancellation: { interrupt: signal, kill } } : call,
      );
      running = begun;
      return begun.done.finally(giveBack);
    };
    return {
      done: run(),
      end: () => {
        asked.abort();
        running?.end();
      },
    };
  };
}
