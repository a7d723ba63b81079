import { resumeRun } from "../../src/engine/resume.ts";
import { startRun } from "../../src/engine/start.ts";
import type { EventType } from "../../src/machine/model/event.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import type { newRun } from "../../src/machine/moves/new-run.ts";
import { knownSpend } from "../../src/machine/spend/known-spend.ts";
import { settings } from "../support/runs.ts";
import type { Conversations } from "./conversations.ts";
import { Disk } from "./disk.ts";
import { unexplained } from "./explanation.ts";
import { type FaultPlan, type Mishap, PATIENT } from "./fault-plan.ts";
import { inspectSave, reread } from "./invariants.ts";
import { modelEngine } from "./model-engine.ts";
import type { Oracle } from "./oracle.ts";
import type { People } from "./people.ts";
import { HOME, LAUNCH, type Program, programStart } from "./program.ts";
import { ModelClock, type Schedule } from "./schedule.ts";

const MOST_TICKS = 20_000;

/** What there is beside raymond, and after it. */
export interface Outliving {
  readonly program: Program;
  readonly faultPlan: FaultPlan;
  readonly oracle: Oracle;
  readonly conversations: Conversations;
  readonly people: People;
  readonly schedule: Schedule;
  /** Those that are still to come. */
  readonly mishaps: Mishap[];
  /** Number of events by type. */
  readonly events: Map<EventType, number>;
  /** Number of the last event. */
  lastSeq: number;
  /** The lines of the run's journal. */
  readonly journal: string[];
  saved: RunState | null;
  now: number;
  lives: number;
  ticks: number;
  sessions: number;
}

/** One raymond, from its start or resume to its end. */
export class Lifetime {
  readonly all: Outliving;
  readonly clock: ModelClock;
  readonly disk: Disk;
  /** Processes that run now. */
  readonly running = new Set<number>();
  /** A save has failed, and raymond must know. */
  failing = false;
  /** This raymond has died: what it was about to do it does no more. */
  dead = false;
  /** A step was a bug of raymond. */
  broken = false;
  readonly #interrupt = new AbortController();
  readonly #kill = new AbortController();
  readonly #hurried = new Set<() => void>();
  readonly #nudged = new Set<() => void>();
  readonly #woken = new Set<(agent: string | null) => void>();
  readonly #idleSince = new Map<string, number>();
  readonly #found: RunState | null;
  #saves = 0;
  #ending: RunState | Error | null = null;

  constructor(all: Outliving) {
    this.all = all;
    this.clock = new ModelClock(all.now);
    this.#found = all.saved;
    this.disk = new Disk(all.schedule, all.saved, (before, after) => {
      this.#written(before, after);
    });
  }

  get interrupted(): boolean {
    return this.#interrupt.signal.aborted;
  }

  /** How it ended: by a status, an error or a crash. Rejects where a law does not hold. */
  async live(): Promise<string> {
    const { all, clock } = this;
    const { oracle, schedule } = all;
    this.#drive().then(
      (run) => {
        this.#ending = run;
      },
      (error: unknown) => {
        this.#ending = error instanceof Error ? error : new Error("no error");
      },
    );
    for (;;) {
      // All that can happen without a turn has happened.
      await new Promise(setImmediate);
      all.now = clock.now();
      this.failing = this.disk.failed;
      if (oracle.broken !== null) throw new Error(oracle.broken);
      if (this.#ending !== null) return this.#over(this.#ending);
      all.ticks += 1;
      if (all.ticks > MOST_TICKS) throw new Error("it never ends");
      if (this.#mishap() === "dead") return "crash";
      this.#answer();

      const luck = schedule.chance();
      const together = luck % 4 === 3 ? 3 : 1;
      let stirred = luck % 5 === 4 && clock.advance(luck * 997);
      for (let i = 0; i < together; i += 1) stirred = schedule.next() || stirred;
      if (!stirred && !clock.advance(luck)) throw new Error("it hangs");
    }
  }

  #drive(): Promise<RunState> {
    const { program, faultPlan, oracle, lives } = this.all;
    const engine = modelEngine(this);
    const control = {
      interrupt: this.#interrupt.signal,
      kill: this.#kill.signal,
      onRetryNow: (listener: () => void) => void this.#hurried.add(listener),
      onAnswer: (listener: () => void) => void this.#nudged.add(listener),
      onManualSession: () => undefined,
      attended: () => false,
      parksWhenIdle: () => false,
      onStopAfterSteps: () => undefined,
      onSetResult: () => undefined,
      onControlled: () => undefined,
      onWake: (listener: (agent: string | null) => void) => void this.#woken.add(listener),
    };
    const given = faultPlan.rounds[lives] ?? PATIENT;
    if (this.#found !== null) {
      return resumeRun(reread(this.#found, oracle), given, engine, control);
    }
    const { state: entry, pending: input, attributes } = programStart(program);
    const options: Parameters<typeof newRun>[0] = {
      ...{ id: "wf-2026-11-21-k3x9qd", token: "t0", backend: faultPlan.backend },
      workflow: { kind: "folder", path: `/repo/${HOME}`, entry },
      ...{ scopeDir: `/repo/${HOME}`, launchDir: LAUNCH, at: this.clock.now() },
      ...{ input, attributes, settings: settings(given) },
    };
    return startRun(options, engine, control);
  }

  /** The users whose answers are due answer now. */
  #answer(): void {
    const { people, oracle, ticks } = this.all;
    if (!people.look(this.disk.run, this.clock.now(), ticks, oracle)) return;
    for (const listener of this.#nudged) listener();
  }

  /** What is due happens now. */
  #mishap(): "dead" | "alive" {
    const { mishaps, ticks, schedule } = this.all;
    while ((mishaps[0]?.tick ?? Infinity) <= ticks) {
      switch (mishaps.shift()?.what) {
        case "kill":
          if (this.interrupted) this.#kill.abort();
          this.#interrupt.abort("SIGTERM");
          break;
        case "interrupt":
          this.#interrupt.abort("SIGINT");
          break;
        case "wake":
          this.all.oracle.woken = true;
          for (const listener of this.#woken) listener(null);
          break;
        case "hurry":
          for (const listener of this.#hurried) listener();
          break;
        case "clock-back":
          this.all.oracle.setBack = true;
          this.clock.setBack(7_200_000);
          break;
        case "save-fails":
          this.disk.failing = "before";
          break;
        case "save-fails-late":
          this.disk.failing = "after";
          break;
        case "crash":
          this.dead = true;
          this.disk.die(schedule.chance() % 2 === 1);
          schedule.forget();
          return "dead";
        case undefined:
          break;
      }
    }
    return "alive";
  }

  #written(before: RunState, after: RunState): void {
    const { oracle, conversations, people } = this.all;
    const recovered = this.#found !== null && this.#saves === 0;
    this.#saves += 1;
    this.all.saved = after;
    const { budgetMicroUsd } = after.settings;
    if (budgetMicroUsd !== null && knownSpend(after) >= budgetMicroUsd) {
      oracle.usedUp = budgetMicroUsd;
    }
    if (recovered) oracle.lose(before);
    else oracle.record(before, after);
    const number = this.#saves;
    inspectSave(
      { before, after, recovered, idleSince: this.#idleSince, number },
      oracle,
      conversations,
      people,
    );
  }

  /** Nothing may be left behind, and there must be a reason. */
  #over(ending: RunState | Error): string {
    const { oracle, schedule } = this.all;
    const { size } = this.running;
    const name = ending instanceof Error ? ending.message : ending.status;
    oracle.hold(size === 0, () => `${name}, and ${String(size)} processes still run`);
    oracle.hold(schedule.waiting.length === 0, () => `${schedule.waiting.join()} are left`);
    oracle.hold(this.clock.sleeping === 0, () => "a timer is left");
    const puzzle = ending instanceof Error ? this.#bewildered(ending) : this.#why(ending);
    oracle.hold(puzzle === null, () => puzzle ?? "");
    if (oracle.broken !== null) throw new Error(oracle.broken);
    return name;
  }

  #why(run: RunState): string | null {
    return unexplained(run, this.all.oracle, this.interrupted);
  }

  #bewildered(error: Error): string | null {
    return this.broken || this.disk.failed
      ? null
      : `it failed for no reason: ${String(error.stack)}`;
  }
}
