/** The part of a clock that a watchdog needs; times in ms. */
export interface Timers {
  /** Epoch ms; somebody may set it. */
  now(): number;
  /** ms since some moment; nobody can set it. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What has run out. */
export type Expiry = "silence" | "deadline";

/** What a watchdog watches. */
export interface Watch {
  /** How long nothing may happen from now on, ms; 0 = for ever. Asked anew at each event. */
  patience(): number;
  /** When it is over whatever happens, as {@link Timers.elapsed} counts; null: never. */
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

/** Longest single nap while silence is counted, ms: what a pause of raymond itself may hide or take away. */
const NAP_MS = 5_000;

/** Timers overflow beyond 24 days. */
const LONGEST_NAP_MS = 60_000;

/** Oversleeping by so much means that raymond was stopped, or the whole machine, ms. */
const OVERSLEPT_MS = 1_000;

/**
 * Watches a client from now on (docs/claude.md, "How long raymond waits").
 *
 * W1  Silence is counted only while raymond itself runs: a pause that took much
 *     longer than planned (the machine slept) is not.
 * W2  No wall clock is asked: setting it neither ends a client nor spares it.
 * W3  What waits in the client's pipes is heard before it is called silent.
 */
export function startWatchdog(watch: Watch, timers: Pick<Timers, "elapsed" | "sleep">): Watchdog {
  let silent = 0;
  let countedTo = timers.elapsed();
  let stopped = false;
  let nap = new AbortController();
  let napEnds = 0;

  const left = (): number => {
    const patience = watch.patience();
    const ofSilence = patience === 0 ? Number.POSITIVE_INFINITY : patience - silent;
    const ofTime = (watch.deadline ?? Number.POSITIVE_INFINITY) - timers.elapsed();
    return Math.min(ofSilence, ofTime);
  };
  const isStopped = (): boolean => stopped;
  const stop = (): void => {
    stopped = true;
    nap.abort();
  };
  const rest = async (ms: number): Promise<void> => {
    nap = new AbortController();
    const length = Math.min(ms, Number.isFinite(ms) ? NAP_MS : LONGEST_NAP_MS);
    napEnds = timers.elapsed() + length;
    await timers.sleep(length, nap.signal);
    const woke = timers.elapsed();
    if (woke - napEnds <= OVERSLEPT_MS) silent += woke - countedTo;
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
      // A tool that has ended may leave less patience than the nap that is under way.
      if (countedTo + left() < napEnds) nap.abort();
    },
    stop,
  };
}

/** Timers come before pipes in a turn of Node's loop, and this after both. */
function pipesRead(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
