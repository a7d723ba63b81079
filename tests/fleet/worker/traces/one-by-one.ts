import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../../../../src/engine/ports/clock.ts";
import type { ProcessCall, RunningProcess } from "../../../../src/engine/ports/process.ts";
import type { Answer } from "../../../../src/machine/move/answer.ts";
import { type Question, questionsOf } from "../../../../src/machine/move/question.ts";
import { inFlight } from "../../../../src/machine/move/roster.ts";
import type { RunState } from "../../../../src/machine/run-state.ts";
import { parseDocument } from "../../../../src/storage/codec/parse-document.ts";
import { decodeRun } from "../../../../src/storage/codec/state-document.ts";
import type { Disk } from "../../../../src/storage/disk.ts";
import { type System, thisSystem } from "../../../../src/wire/system/system.ts";
import { NO_ORPHANS } from "../../../support/engine/no-orphans.ts";
import { NOON } from "../../../support/run-driver.ts";
import { Attempt, askedOfClient, type End } from "./attempt.ts";

/** The environment of a run, independent of the process that executes it. */
export interface Fortune {
  /** How the attempts at a state end, by the name of its file: one after the other, and from the beginning again. */
  readonly ends: Readonly<Record<string, readonly End[]>>;
  /** Which of all that could happen next does: one number each time, and the first when they are used up. */
  readonly choices: readonly number[];
}

/** Sleeps of the run loop; a watchdog sleeps for longer. */
const LONGEST_SLEEP_MS = 30_000;

/**
 * The world of one run, in which nothing happens by itself: attempts begin, are taken and end, persons answer
 * and time passes one at a time, and only once all that came of the last one is saved. So what happens is
 * the same however long a save takes, and whichever process makes it.
 */
export class OneByOne {
  readonly system: System;
  readonly #fortune: Fortune;
  readonly #ended = new Map<string, number>();
  readonly #answered = new Set<number>();
  readonly #attempts = new Map<number, Attempt>();
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  #now = NOON;
  #picked = 0;
  #saved: RunState | null = null;
  /** What has not come to a save yet: something was let happen. Or, where a look may change nothing, to the next sleep. */
  #stirring: "deed" | "look" | null = null;
  /** The next process has not read the saved state yet. */
  #begins = true;
  #busy = 0;
  #breaks: { readonly at: number; readonly how: () => Promise<void> } | null = null;
  #give: ((answer: Answer) => Promise<unknown>) | null = null;

  constructor(fortune: Fortune) {
    this.#fortune = fortune;
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

  /** Where what persons say goes. */
  answersTo(give: (answer: Answer) => Promise<unknown>): void {
    this.#give = give;
  }

  /** Before the save of this number `how` is done, once; it may reject. */
  breakAt(at: number, how: () => Promise<void>): void {
    this.#breaks = { at, how };
  }

  /** Every save of the run goes through this. */
  async save(run: RunState, write: () => Promise<void>): Promise<void> {
    const breaks = this.#breaks;
    if (breaks?.at === run.saves) {
      this.#breaks = null;
      this.#begins = true;
      await breaks.how();
    }
    await write();
    this.#saved = run;
    this.#stirring = this.#begins ? "look" : null;
    this.#begins = false;
    this.#lookSoon();
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
        if (this.#stirring === "look") this.#stirring = null;
        this.#lookSoon();
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
    this.#lookSoon();
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
          this.#lookSoon();
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
  #lookSoon(): void {
    setImmediate(() => {
      setImmediate(() => {
        this.#look();
      });
    });
  }

  #look(): void {
    const run = this.#saved;
    if (run === null || this.#stirring !== null || this.#busy > 0) return;
    const flying = inFlight(run).map(({ activity }) => this.#attempts.get(activity.process));
    if (flying.includes(undefined)) return;
    const deeds = flying.flatMap((attempt) => (attempt === undefined ? [] : this.#deed(attempt)));
    const answers = questionsOf(run).flatMap((question) => this.#answer(question));
    const times = [...this.#sleepers]
      .toSorted((a, b) => a.until - b.until)
      .slice(0, 1)
      .map((sleeper) => () => {
        this.#stirring = "look";
        this.#now = Math.max(this.#now, sleeper.until);
        sleeper.wake();
      });
    const all = [...deeds, ...answers, ...times];
    if (all.length === 0) return;
    this.#picked += 1;
    all[(this.#fortune.choices[this.#picked - 1] ?? 0) % all.length]?.();
  }

  #deed(attempt: Attempt): () => void {
    return () => {
      this.#stirring = "deed";
      const key = `${attempt.agent} ${attempt.state}`;
      const nth = this.#ended.get(key) ?? 0;
      const ends = this.#fortune.ends[attempt.state] ?? [];
      const end = ends[nth % ends.length] ?? { kind: "says", text: "" };
      if (attempt.proceed(end, this.#now)) this.#ended.set(key, nth + 1);
    };
  }

  #answer({ agent, number, options }: Question): readonly (() => void)[] {
    const give = this.#give;
    if (give === null || this.#answered.has(number)) return [];
    return [
      () => {
        this.#answered.add(number);
        this.#busy += 1;
        const by = { user: "somebody", host: null, via: "terminal" } as const;
        const answer = { agent, number, answer: options?.[0] ?? "so be it", by, at: this.#now };
        void give(answer).finally(() => {
          this.#busy -= 1;
          this.#lookSoon();
        });
      },
    ];
  }
}

const STATE = /\/workflows\/[^/.]+\.json$/;
