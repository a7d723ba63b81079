/** What `raymond retry-now` sends to the process that holds the run. */
export const RETRY_SIGNAL = "SIGUSR2";

interface RetrySignal {
  readonly listen: (listener: () => void) => void;
  readonly end: () => void;
}

/** Hears that signal until `end`: unheard it would end the process. Windows has no such signal. */
export function onRetrySignal(): RetrySignal {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  if (process.platform !== "win32") process.on(RETRY_SIGNAL, tell);
  return {
    listen: (listener) => void listeners.add(listener),
    end: () => void process.off(RETRY_SIGNAL, tell),
  };
}
