import { type LastKnown, lastKnown } from "../runs/last-known.ts";
import type { ProblemJson } from "./api.ts";
import { type Glance, stampOf } from "./glance.ts";
import { LogDigest, type LogFacts } from "./log-digest.ts";
import { isAway, problemOf } from "./problem.ts";
import type { WatchedRun } from "./watched-run.ts";

/** A run as it was seen last. */
export interface Seen extends LastKnown, Omit<Glance, "signature"> {
  /** Why it cannot be looked at for now: then this is how it stood before. */
  readonly away: ProblemJson | null;
  /** Counts what has changed: the same number, the same sight. */
  readonly revision: number;
}

/**
 * One pair of eyes on a run, for however many browsers (docs/dashboard.md, "What it costs").
 *
 * 1. It reads, and neither locks nor writes.
 * 2. While nobody listens it does nothing; then each look begins with a glance (the dates of files, a row), and
 *    what has changed is read, though never for more than a part of the time.
 * 3. What the log tells as a whole is read in the background: nobody waits for it who does not ask for it.
 */
export class RunWatch {
  readonly of: WatchedRun;
  readonly #digest: LogDigest;
  readonly #listeners = new Set<() => void>();
  #seen: Seen | null = null;
  #signature = "";
  #looking: Promise<Seen> | null = null;
  /** The look that has ended last, however it did. */
  #latest: Promise<Seen> | null = null;
  /** As it was when the listeners were called last, whoever had looked: null where it could not be. */
  #told: number | null = null;
  #logStamp: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Moment, of `performance`, before which nothing is read again. */
  #restUntil = 0;
  #usedAt = performance.now();
  #log: LogFacts["log"] = "reading";

  constructor(of: WatchedRun) {
    this.of = of;
    this.#digest = new LogDigest(of.artifacts.events);
  }

  /** The run as it is now. Rejects with a RaymondError where it is gone, or cannot be read. */
  async look(): Promise<Seen> {
    this.#usedAt = performance.now();
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#latest = this.#looking;
      this.#looking = null;
    });
    return this.#looking;
  }

  /** The run as it was seen last, which is not long ago while somebody listens. */
  async latest(): Promise<Seen> {
    return this.#latest ?? this.look();
  }

  /** What the log tells as a whole, as far as it has been read by now; the rest is read meanwhile. */
  logSoFar(): LogFacts {
    void this.log();
    return this.#digest.told();
  }

  /** The same, once all of it has been read: at once, where only little has come since. */
  async log(): Promise<LogFacts> {
    const facts = await this.#digest.read();
    if (facts.log !== this.#log) {
      this.#log = facts.log;
      this.#change();
    }
    return facts;
  }

  /** Calls the listener whenever there may be something new: in the log, or of the run. Gives what ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#tick(), EVERY_MS).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  /** Whether nobody has asked for so long that it may be forgotten. */
  isIdle(): boolean {
    return this.#listeners.size === 0 && performance.now() - this.#usedAt > IDLE_MS;
  }

  async #tick(): Promise<void> {
    if (performance.now() >= this.#restUntil) await this.look().catch(() => undefined);
    const stamp = await stampOf(this.of.artifacts.events);
    const revision = this.#revision();
    if (stamp === this.#logStamp && revision !== null && revision === this.#told) return;
    this.#logStamp = stamp;
    this.#tell(revision);
  }

  async #lookOnce(): Promise<Seen> {
    try {
      return await this.#lookAgain();
    } catch (error) {
      if (this.#seen === null || !isAway(error)) throw error;
      if (this.#seen.away === null) this.#seen = next({ ...this.#seen, away: problemOf(error) });
      return this.#seen;
    }
  }

  async #lookAgain(): Promise<Seen> {
    const { signature, ...glance } = await this.of.glance();
    if (this.#seen !== null && signature === this.#signature) {
      if (this.#seen.away !== null) this.#seen = next({ ...this.#seen, away: null });
      return this.#seen;
    }
    const began = performance.now();
    this.#signature = "";
    const known = await lastKnown(this.of.store, this.of.id);
    this.#signature = signature;
    this.#seen = { ...known, ...glance, away: null, revision: (this.#seen?.revision ?? 0) + 1 };
    this.#restUntil = performance.now() + (performance.now() - began) * REST;
    return this.#seen;
  }

  /** Null where it cannot be looked at. */
  #revision(): number | null {
    return this.#signature === "" ? null : (this.#seen?.revision ?? null);
  }

  #change(): void {
    if (this.#seen === null) return;
    this.#seen = next(this.#seen);
    this.#latest = Promise.resolve(this.#seen);
    this.#tell(this.#revision());
  }

  #tell(revision: number | null): void {
    this.#told = revision;
    for (const listener of this.#listeners) listener();
  }
}

/** As often as `raymond logs -f` looks. */
const EVERY_MS = 250;
/** After what took so long, so many times as long nothing is read. */
const REST = 9;
const IDLE_MS = 60_000;

function next(seen: Seen): Seen {
  return { ...seen, revision: seen.revision + 1 };
}
