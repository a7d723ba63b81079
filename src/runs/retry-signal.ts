/** What `raymond retry-now` sends to the process that holds the run. */
export const RETRY_SIGNAL = "SIGUSR2";

interface RetrySignal {
  readonly listen: (listener: () => void) => void;
  readonly end: () => void;
}

/** Hears that signal until `end`: unheard it would end the process. On Windows it comes by a pipe (`signal-pipe.ts`). */
export function onRetrySignal(): RetrySignal {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  process.on(RETRY_SIGNAL, tell);
  return {
    listen: (listener) => void listeners.add(listener),
    end: () => void process.off(RETRY_SIGNAL, tell),
  };
}
