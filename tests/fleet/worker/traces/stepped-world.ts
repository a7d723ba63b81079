import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../../../../src/engine/ports/clock.ts";
import type { ProcessCall, RunningProcess } from "../../../../src/engine/ports/process.ts";
import type { Answer } from "../../../../src/machine/model/answer.ts";
import { inFlight } from "../../../../src/machine/model/roster.ts";
import type { RunState } from "../../../../src/machine/model/run-state.ts";
import { type Question, questionsOf } from "../../../../src/machine/moves/question.ts";
import { parseDocument } from "../../../../src/storage/codec/parse-document.ts";
import { decodeRun } from "../../../../src/storage/codec/state-document.ts";
import type { Disk } from "../../../../src/storage/disk.ts";
import { type System, thisSystem } from "../../../../src/wire/system/system.ts";
import { NO_ORPHANS } from "../../../support/engine/no-orphans.ts";
import { NOON } from "../../../support/run-driver.ts";
import { Attempt, askedOfClient, type End } from "./attempt.ts";

/** The environment of a run, independent of the process that executes it. */
export interface Choices {
  /** How the attempts of a state end, by file name: in this order, repeatedly. */
  readonly ends: Readonly<Record<string, readonly End[]>>;
  /** Selects the next of all possible actions; the first one if there are no more numbers. */
  readonly choices: readonly number[];
}

/** Longer sleeps belong to watchdogs. */
const LONGEST_SLEEP_MS = 30_000;

/**
 * The environment of one run, in which one action happens at a time: an attempt proceeds, a user answers, or time
 * passes. The next action starts after the effects of the last one are saved. So the order of events does not
 * depend on the duration of saves or on the process that executes the run.
 */
export class SteppedWorld {
  readonly system: System;
  readonly #choices: Choices;
  readonly #ended = new Map<string, number>();
  readonly #answered = new Set<number>();
  readonly #attempts = new Map<number, Attempt>();
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  #now = NOON;
  #actions = 0;
  #saved: RunState | null = null;
  /** The last action, until its effects are saved. The effect of `time` may be another sleep without a save. */
  #unsaved: "attempt" | "time" | null = null;
  /** The next process has not read the saved state yet. */
  #isNew = true;
  #busy = 0;
  #fault: { readonly at: number; readonly how: () => Promise<void> } | null = null;
  #submit: ((answer: Answer) => Promise<unknown>) | null = null;

  constructor(choices: Choices) {
    this.#choices = choices;
    const { processes, disk } = thisSystem;
    const start = (call: ProcessCall) => this.#start(call);
    this.system = {
      ...thisSystem,
      clock: this.clock,
      disk: this.#watched(disk),
      processes: {
        ...processes,
        start,
        recordSteps: (recorded) => recorded,
        orphans: () => NO_ORPHANS,
      },
    };
  }

  readonly clock: Clock = {
    now: () => this.#now,
    elapsed: () => this.#now - NOON,
    sleep: (ms, signal) => this.#sleep(ms, signal),
  };

  /** Receives the answers of users. */
  answersTo(submit: (answer: Answer) => Promise<unknown>): void {
    this.#submit = submit;
  }

  /** Calls `how` once before this save; it may reject. */
  failAt(at: number, how: () => Promise<void>): void {
    this.#fault = { at, how };
  }

  /** Every save of the run goes through this. */
  async save(run: RunState, write: () => Promise<void>): Promise<void> {
    const fault = this.#fault;
    if (fault?.at === run.saves) {
      this.#fault = null;
      this.#isNew = true;
      await fault.how();
    }
    await write();
    this.#saved = run;
    this.#unsaved = this.#isNew ? "time" : null;
    this.#isNew = false;
    this.#proceedSoon();
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { until: this.#now + ms, wake };
      if (ms <= LONGEST_SLEEP_MS) {
        this.#sleepers.add(sleeper);
        if (this.#unsaved === "time") this.#unsaved = null;
        this.#proceedSoon();
      }
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  #start(call: ProcessCall): RunningProcess {
    const asked = askedOfClient(call);
    if (asked !== null) return asked;
    const number = Number(call.token.slice(call.token.lastIndexOf(".") + 1));
    const agent = this.#saved?.agents.find(
      ({ activity }) => activity.type === "running" && activity.process === number,
    );
    if (agent === undefined) throw new Error(`process ${String(number)} was not saved`);
    const script = call.env["RAYMOND_STATE_FILE"];
    const state = script === undefined ? agent.state : path.basename(script);
    const attempt = new Attempt(call, agent.id, state, () => {
      this.#attempts.delete(number);
    });
    this.#attempts.set(number, attempt);
    this.#proceedSoon();
    return attempt.running;
  }

  #watched(disk: Disk): Disk {
    const counted = <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) => {
      return async (...args: Args): Promise<T> => {
        this.#busy += 1;
        try {
          return await work(...args);
        } finally {
          this.#busy -= 1;
          this.#proceedSoon();
        }
      };
    };
    const all = Object.entries(disk) as [string, (...args: unknown[]) => Promise<unknown>][];
    const watched = Object.fromEntries(all.map(([name, work]) => [name, counted(work)]));
    const rename = async (from: string, to: string) => {
      if (!STATE.test(to)) return disk.rename(from, to);
      const run = decodeRun(parseDocument(await readFile(from, "utf8"), from));
      return this.save(run, () => disk.rename(from, to));
    };
    return { ...(watched as unknown as Disk), rename: counted(rename) };
  }

  /** After everything that can proceed now has proceeded. */
  #proceedSoon(): void {
    setImmediate(() => {
      setImmediate(() => {
        this.#proceed();
      });
    });
  }

  #proceed(): void {
    const run = this.#saved;
    if (run === null || this.#unsaved !== null || this.#busy > 0) return;
    const running = inFlight(run).map(({ activity }) => this.#attempts.get(activity.process));
    if (running.includes(undefined)) return;
    const attempts = running.flatMap((attempt) =>
      attempt === undefined ? [] : this.#attemptAction(attempt),
    );
    const answers = questionsOf(run).flatMap((question) => this.#answer(question));
    const times = [...this.#sleepers]
      .toSorted((a, b) => a.until - b.until)
      .slice(0, 1)
      .map((sleeper) => () => {
        this.#unsaved = "time";
        this.#now = Math.max(this.#now, sleeper.until);
        sleeper.wake();
      });
    const all = [...attempts, ...answers, ...times];
    if (all.length === 0) return;
    this.#actions += 1;
    all[(this.#choices.choices[this.#actions - 1] ?? 0) % all.length]?.();
  }

  #attemptAction(attempt: Attempt): () => void {
    return () => {
      this.#unsaved = "attempt";
      const key = `${attempt.agent} ${attempt.state}`;
      const nth = this.#ended.get(key) ?? 0;
      const ends = this.#choices.ends[attempt.state] ?? [];
      const end = ends[nth % ends.length] ?? { kind: "says", text: "" };
      if (attempt.proceed(end, this.#now)) this.#ended.set(key, nth + 1);
    };
  }

  #answer({ agent, number, options }: Question): readonly (() => void)[] {
    const submit = this.#submit;
    if (submit === null || this.#answered.has(number)) return [];
    return [
      () => {
        this.#answered.add(number);
        this.#busy += 1;
        const by = { user: "ada", host: null, via: "terminal" } as const;
        const answer = { agent, number, answer: options?.[0] ?? "so be it", by, at: this.#now };
        void submit(answer).finally(() => {
          this.#busy -= 1;
          this.#proceedSoon();
        });
      },
    ];
  }
}

const STATE = /\/workflows\/[^/.]+\.json$/;
