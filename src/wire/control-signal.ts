/**
 * Makes the process that drives a run check for control requests. On Windows a pipe replaces it
 * (`signal-pipe.ts`).
 */
export const CONTROL_SIGNAL = "SIGUSR2";

interface ControlSignal {
  readonly listen: (listener: () => void) => void;
  readonly end: () => void;
}

/** Receives the signal until `end`. Its default action would end this process. */
export function onControlSignal(): ControlSignal {
  const own = new Set<() => void>();
  const notify = () => {
    for (const listener of own) listener();
  };
  if (receivers.size === 0) process.on(CONTROL_SIGNAL, notifyAll);
  receivers.add(notify);
  return {
    listen: (listener) => void own.add(listener),
    end: () => {
      receivers.delete(notify);
      if (receivers.size === 0) process.off(CONTROL_SIGNAL, notifyAll);
    },
  };
}

/** One listener for all runs of this process: Node.js warns about more than ten. */
const receivers = new Set<() => void>();

function notifyAll(): void {
  for (const notify of receivers) notify();
}
