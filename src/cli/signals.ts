import type { Control } from "../engine/engine.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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
  return {
    interrupt: interrupt.signal,
    kill: kill.signal,
    restore: () => {
      for (const signal of SIGNALS) process.off(signal, handle);
    },
  };
}
