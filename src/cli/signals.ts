import type { Control } from "../engine/engine.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What `raymond retry-now` sends to the process that holds the run. */
export const HURRY_SIGNAL = "SIGUSR2";

/** Signals to raymond, as the engine's control; `restore` gives them back. */
export interface SignalControl extends Control {
  restore(): void;
}

/**
 * The first signal asks the run to stop, the second kills what is still in
 * flight (spec 4). `tell` hears which signal it was.
 */
export function controlBySignals(
  process: NodeJS.Process,
  tell: (signal: NodeJS.Signals, time: 1 | 2) => void,
): SignalControl {
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
    onHurry: (listener) => {
      hurried.add(listener);
    },
    restore: () => {
      process.off(HURRY_SIGNAL, hurry);
      for (const signal of SIGNALS) process.off(signal, handle);
    },
  };
}
