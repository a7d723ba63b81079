/** Clock and timers; times in ms. */
export interface Timers {
  /** Wall clock, epoch ms. */
  now(): number;
  /** Monotonic clock. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export type Expiry = "silence" | "deadline";

export interface Watch {
  /** Maximum silence from now on, ms (0: unlimited). Read at each event. */
  patience(): number;
  /** Deadline by {@link Timers.elapsed}; null: none. */
  readonly deadline: number | null;
  /** Called at most once, and never after {@link Watchdog.stop}. */
  onExpiry(expiry: Expiry): void;
}

export interface Watchdog {
  event(): void;
  stop(): void;
}

/** Maximum single sleep, ms. A pause of raymond itself distorts the silence by at most this time. */
const SLEEP_MS = 5_000;

/** Timers overflow beyond 24 days. */
const MAX_SLEEP_MS = 60_000;

/** A sleep that takes this much longer means that raymond or the machine was suspended, ms. */
const SUSPENDED_MS = 1_000;

/**
 * Watches a client (docs/claude.md, "Timeouts").
 *
 * W1  Silence counts only while raymond itself runs, and not while the machine is suspended.
 * W2  Only the monotonic clock is used, so setting the wall clock has no effect.
 * W3  Pending output in the pipes is read before the client counts as silent.
 */
export function startWatchdog(watch: Watch, timers: Pick<Timers, "elapsed" | "sleep">): Watchdog {
  let silent = 0;
  let countedTo = timers.elapsed();
  let stopped = false;
  let sleep = new AbortController();
  let sleepEnds = 0;

  const left = (): number => {
    const patience = watch.patience();
    const ofSilence = patience === 0 ? Number.POSITIVE_INFINITY : patience - silent;
    const ofTime = (watch.deadline ?? Number.POSITIVE_INFINITY) - timers.elapsed();
    return Math.min(ofSilence, ofTime);
  };
  const isStopped = (): boolean => stopped;
  const stop = (): void => {
    stopped = true;
    sleep.abort();
  };
  const rest = async (ms: number): Promise<void> => {
    sleep = new AbortController();
    const length = Math.min(ms, Number.isFinite(ms) ? SLEEP_MS : MAX_SLEEP_MS);
    sleepEnds = timers.elapsed() + length;
    await timers.sleep(length, sleep.signal);
    const woke = timers.elapsed();
    if (woke - sleepEnds <= SUSPENDED_MS) silent += woke - countedTo;
    countedTo = woke;
  };
  const run = async (): Promise<void> => {
    while (!isStopped()) {
      const ms = left();
      if (ms > 0) {
        await rest(ms);
        continue;
      }
      await pipesRead();
      if (isStopped() || left() > 0) continue;
      const late = watch.deadline !== null && timers.elapsed() >= watch.deadline;
      stop();
      watch.onExpiry(late ? "deadline" : "silence");
    }
  };
  void run();

  return {
    event() {
      silent = 0;
      countedTo = timers.elapsed();
      // After a tool call the limit may be shorter than the current sleep.
      if (countedTo + left() < sleepEnds) sleep.abort();
    },
    stop,
  };
}

/** Runs after timers and pipes in Node's event loop. */
function pipesRead(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
