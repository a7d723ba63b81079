import type { FleetGlance } from "../../inspect/fleet-board.ts";
import { type LastKnown, lastKnown } from "../../inspect/run-view.ts";
import type { ProblemJson } from "../api.ts";
import { isAway, problemOf } from "../server/problem.ts";
import { IDLE_FACTOR, Listeners } from "./listeners.ts";
import { LogDigest, type LogFacts } from "./log-digest.ts";
import { fileStamp, type WatchedRun } from "./watched-run.ts";

/** The last known state of a run. */
export interface RunSnapshot extends LastKnown, Omit<FleetGlance, "signature"> {
  /** Why the database is unavailable; null if it is available. */
  readonly away: ProblemJson | null;
  readonly revision: number;
}

/**
 * Watches a run, once for all clients (docs/dashboard.md, "Load").
 *
 * 1. It only reads: no locks, no writes.
 * 2. It polls only while there is a listener. Each poll starts with a cheap check (modification times, or one row),
 *    and reads what has changed, at most a tenth of the time.
 * 3. The log is read in the background.
 */
export class RunWatch {
  readonly of: WatchedRun;
  readonly #digest: LogDigest;
  readonly #listeners = new Listeners(() => this.#poll(), POLL_MS);
  #snapshot: RunSnapshot | null = null;
  /** Of the last successful read; empty if the run cannot be read. */
  #signature = "";
  #refreshing: Promise<RunSnapshot> | null = null;
  /** The last completed refresh, also if it failed. */
  #latest: Promise<RunSnapshot> | null = null;
  /** The revision of the last notification; null if the run could not be read. */
  #notified: number | null = null;
  #logStamp: string | null = null;
  /** `performance.now()` before which polls are skipped. */
  #idleUntil = 0;
  #usedAt = performance.now();
  #log: LogFacts["log"] = "reading";

  constructor(of: WatchedRun) {
    this.of = of;
    this.#digest = new LogDigest(of.artifacts.events);
  }

  /** Reads the run. Rejects with a RaymondError if it was deleted or cannot be read. */
  async refresh(): Promise<RunSnapshot> {
    this.#usedAt = performance.now();
    this.#refreshing ??= this.#readOrKeep().finally(() => {
      this.#latest = this.#refreshing;
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** The last state that was read: recent while there is a listener. */
  async latest(): Promise<RunSnapshot> {
    return this.#latest ?? this.refresh();
  }

  /** Facts from the log as far as it has been read. Reads the rest in the background. */
  logSoFar(): LogFacts {
    void this.log();
    return this.#digest.facts();
  }

  /** Facts from the whole log. */
  async log(): Promise<LogFacts> {
    const facts = await this.#digest.read();
    if (facts.log !== this.#log) {
      this.#log = facts.log;
      if (this.#snapshot !== null) {
        this.#latest = Promise.resolve(this.#change(this.#snapshot));
        this.#notify(this.#revision());
      }
    }
    return facts;
  }

  /** Calls the listener when the log or the run may have changed. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** Whether it has not been used for so long that it can be dropped. */
  isIdle(): boolean {
    return this.#listeners.count === 0 && performance.now() - this.#usedAt > IDLE_MS;
  }

  async #poll(): Promise<void> {
    if (performance.now() >= this.#idleUntil) await this.refresh().catch(() => undefined);
    const stamp = await fileStamp(this.of.artifacts.events);
    const revision = this.#revision();
    if (stamp === this.#logStamp && revision !== null && revision === this.#notified) return;
    this.#logStamp = stamp;
    this.#notify(revision);
  }

  /** Keeps the last known state while the database is unavailable. */
  async #readOrKeep(): Promise<RunSnapshot> {
    try {
      return await this.#read();
    } catch (error) {
      if (this.#snapshot === null || !isAway(error)) throw error;
      if (this.#snapshot.away !== null) return this.#snapshot;
      return this.#change({ ...this.#snapshot, away: problemOf(error) });
    }
  }

  async #read(): Promise<RunSnapshot> {
    const { signature, ...glance } = await this.of.glance();
    if (this.#snapshot !== null && signature === this.#signature) {
      if (this.#snapshot.away === null) return this.#snapshot;
      return this.#change({ ...this.#snapshot, away: null });
    }
    const started = performance.now();
    this.#signature = "";
    const known = await lastKnown(this.of.store, this.of.id);
    this.#signature = signature;
    this.#idleUntil = performance.now() + (performance.now() - started) * IDLE_FACTOR;
    return this.#change({ ...known, ...glance, away: null });
  }

  #change(snapshot: Omit<RunSnapshot, "revision">): RunSnapshot {
    this.#snapshot = { ...snapshot, revision: (this.#snapshot?.revision ?? 0) + 1 };
    return this.#snapshot;
  }

  /** Null if the run cannot be read. */
  #revision(): number | null {
    return this.#signature === "" ? null : (this.#snapshot?.revision ?? null);
  }

  #notify(revision: number | null): void {
    this.#notified = revision;
    this.#listeners.notify();
  }
}

/** The same interval as `raymond logs -f`. */
const POLL_MS = 250;
const IDLE_MS = 60_000;
