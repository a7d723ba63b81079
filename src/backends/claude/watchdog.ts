/** The part of a clock that a watchdog needs; times in ms. */
export interface Timers {
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What has run out. */
export type Expiry = "silence" | "deadline";

/** What a watchdog watches. */
export interface Watch {
  /** How long nothing may happen from now on, ms; 0 = for ever. Asked anew at each event. */
  patience(): number;
  /** Epoch ms at which it is over whatever happens; null: never. */
  readonly deadline: number | null;
  /** Called at most once, and never after {@link Watchdog.stop}. */
  onExpiry(expiry: Expiry): void;
}

/** A watch that goes on. */
export interface Watchdog {
  /** Something happened: silence is counted anew. */
  event(): void;
  stop(): void;
}

/** Longest single sleep, ms: timers overflow beyond 24 days, and a machine may be put to sleep. */
const NAP_MS = 60_000;

/** Oversleeping by so much means that the whole machine slept, and the client with it, ms. */
const OVERSLEPT_MS = 30_000;

/** Watches a client from now on (contract point 7). */
export function startWatchdog(watch: Watch, timers: Timers): Watchdog {
  let last = timers.now();
  let stopped = false;
  let nap = new AbortController();
  let napEnds = 0;

  const silenceEnds = (): number => {
    const patience = watch.patience();
    return patience === 0 ? Number.POSITIVE_INFINITY : last + patience;
  };
  const nextEnd = (): number => {
    return Math.min(silenceEnds(), watch.deadline ?? Number.POSITIVE_INFINITY);
  };
  const stop = (): void => {
    stopped = true;
    nap.abort();
  };
  const expired = (now: number): Expiry | null => {
    if (watch.deadline !== null && now >= watch.deadline) return "deadline";
    return now >= silenceEnds() ? "silence" : null;
  };
  const run = async (): Promise<void> => {
    for (let now = timers.now(); !stopped; now = timers.now()) {
      const expiry = expired(now);
      if (expiry !== null) {
        stop();
        watch.onExpiry(expiry);
        return;
      }
      nap = new AbortController();
      const length = Math.min(nextEnd() - now, NAP_MS);
      napEnds = now + length;
      await timers.sleep(length, nap.signal);
      const overslept = timers.now() - napEnds;
      if (overslept > OVERSLEPT_MS) last += overslept;
    }
  };
  void run();

  return {
    event() {
      last = timers.now();
      // A tool that has ended may leave less patience than the nap that is under way.
      if (nextEnd() < napEnds) nap.abort();
    },
    stop,
  };
}
