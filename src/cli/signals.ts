import type { Cancellation } from "../engine/ports/cancellation.ts";

export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The first signal stops the run, the second kills the steps in flight (docs/cli.md, "raymond WORKFLOW"). The
 * handlers stay: between the end of the run and the end of the process, another Ctrl-C must not interrupt output.
 */
export function controlBySignals(
  process: NodeJS.Process,
  report: (signal: NodeJS.Signals, time: 1 | 2) => void,
) {
  const interrupt = new AbortController();
  const kill = new AbortController();
  let over = false;
  const handle = (signal: NodeJS.Signals) => {
    const time = interrupt.signal.aborted ? 2 : 1;
    const next = time === 1 ? interrupt : kill;
    if (next.signal.aborted) return;
    if (!over) report(signal, time);
    next.abort(signal);
  };
  const control: Pick<Cancellation, "interrupt" | "kill"> = {
    interrupt: interrupt.signal,
    kill: kill.signal,
  };
  return {
    control,
    /** Handles the signals from now on. Until then they end the process. */
    listen: (): void => {
      for (const signal of SIGNALS) process.on(signal, handle);
      // Ctrl-Break on Windows.
      process.on("SIGBREAK", () => {
        handle("SIGINT");
      });
    },
    /** The run is over: signals are still handled, and no longer reported. */
    stopReporting: (): void => {
      over = true;
    },
  };
}

/** Keeps signals from ending the process before the run handles them, so that temporary files are removed. */
export function outliveSignals(process: NodeJS.Process): void {
  for (const signal of [...SIGNALS, "SIGBREAK"]) process.on(signal, () => undefined);
}

/** Handles each signal once: the same signal again ends the process. Returns a function that removes the handlers. */
export function onceOnSignals(
  signals: readonly NodeJS.Signals[],
  handle: (signal: NodeJS.Signals) => void,
): () => void {
  for (const signal of signals) process.once(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}
