/** What `raymond retry-now` sends to the process that holds the run. */
export const RETRY_SIGNAL = "SIGUSR2";

interface RetrySignal {
  readonly listen: (listener: () => void) => void;
  readonly end: () => void;
}

/** Hears that signal until `end`: unheard it would end the process. On Windows it comes by a pipe (`signal-pipe.ts`). */
export function onRetrySignal(): RetrySignal {
  const own = new Set<() => void>();
  const tell = () => {
    for (const listener of own) listener();
  };
  if (hearing.size === 0) process.on(RETRY_SIGNAL, tellAll);
  hearing.add(tell);
  return {
    listen: (listener) => void own.add(listener),
    end: () => {
      hearing.delete(tell);
      if (hearing.size === 0) process.off(RETRY_SIGNAL, tellAll);
    },
  };
}

/** One listener for all runs of this process: Node warns on standard error of the eleventh. */
const hearing = new Set<() => void>();

function tellAll(): void {
  for (const tell of hearing) tell();
}
