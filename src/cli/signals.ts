export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Signals to raymond, as what a run is controlled by. */
export interface Signals {
  readonly control: { readonly interrupt: AbortSignal; readonly kill: AbortSignal };
  /** From now on they are heard; before, they end the process. */
  listen(): void;
  /** They are still heard, and tell nothing any more: the run is over. */
  fallSilent(): void;
}

/**
 * The first signal asks the run to stop, the second kills what is still in
 * flight (docs/cli.md, "raymond WORKFLOW"). `tell` hears which it was. They are
 * never given back: between the end of the run and the end of the process one
 * more Ctrl-C must not break off what is still being written.
 */
export function controlBySignals(
  process: NodeJS.Process,
  tell: (signal: NodeJS.Signals, time: 1 | 2) => void,
): Signals {
  const interrupt = new AbortController();
  const kill = new AbortController();
  let over = false;
  const handle = (signal: NodeJS.Signals) => {
    const time = interrupt.signal.aborted ? 2 : 1;
    const next = time === 1 ? interrupt : kill;
    if (next.signal.aborted) return;
    if (!over) tell(signal, time);
    next.abort(signal);
  };
  return {
    control: { interrupt: interrupt.signal, kill: kill.signal },
    listen: () => {
      for (const signal of SIGNALS) process.on(signal, handle);
      // Ctrl-Break, which only Windows has.
      process.on("SIGBREAK", () => {
        handle("SIGINT");
      });
    },
    fallSilent: () => {
      over = true;
    },
  };
}

/** Signals that come before a run listens do not end the process, for then something would stay. */
export function outliveSignals(process: NodeJS.Process): void {
  for (const signal of [...SIGNALS, "SIGBREAK"]) process.on(signal, () => undefined);
}

/**
 * Hears each of these signals once: whoever repeats one wants to be out at once. What it returns stops hearing.
 */
export function hearOnce(
  signals: readonly NodeJS.Signals[],
  hear: (signal: NodeJS.Signals) => void,
): () => void {
  for (const signal of signals) process.once(signal, hear);
  return () => {
    for (const signal of signals) process.off(signal, hear);
  };
}
