import type { Control } from "../engine/engine.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What `raymond retry-now` sends to the process that holds the run. */
export const HURRY_SIGNAL = "SIGUSR2";

/**
 * Signals to raymond, as the engine's control: the first asks the run to stop,
 * the second kills what is still in flight (docs/cli.md, "raymond WORKFLOW").
 * `tell` hears which it was. They are never given back: between the end of the
 * run and the end of the process one more Ctrl-C must not break off what is
 * still being written.
 */
export function controlBySignals(
  process: NodeJS.Process,
  tell: (signal: NodeJS.Signals, time: 1 | 2) => void,
): Control {
  const interrupt = new AbortController();
  const kill = new AbortController();
  const handle = (signal: NodeJS.Signals) => {
    if (!interrupt.signal.aborted) {
      tell(signal, 1);
      interrupt.abort(signal);
    } else if (!kill.signal.aborted) {
      tell(signal, 2);
      kill.abort(signal);
    }
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  const hurried = new Set<() => void>();
  const hurry = () => {
    for (const listener of hurried) listener();
  };
  // Windows has no such signal.
  if (process.platform !== "win32") process.on(HURRY_SIGNAL, hurry);
  return {
    interrupt: interrupt.signal,
    kill: kill.signal,
    onRetryNow: (listener) => {
      hurried.add(listener);
    },
  };
}
