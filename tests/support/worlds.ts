import type { Event } from "../../src/core/machine/event.ts";
import type { JournalRecord } from "../../src/core/machine/journal.ts";
import type { StepOutcome } from "../../src/core/machine/outcome.ts";
import type { RunState } from "../../src/core/machine/run-state.ts";
import type { Step } from "../../src/core/machine/step.ts";
import { parseStateFile } from "../../src/core/workflow/parse-state-file.ts";
import type { Control, Engine } from "../../src/engine/engine.ts";
import type { Cancellation } from "../../src/ports/cancellation.ts";
import type { Scope } from "../../src/ports/scope.ts";
import type { StepListener } from "../../src/ports/step-events.ts";
import { backendFacts } from "./backend-facts.ts";
import { SimulatedClock } from "./clock.ts";
import { numberedIds } from "./ids.ts";
import { memoryStore } from "./memory-store.ts";
import { NO_LEFTOVERS } from "./no-leftovers.ts";
import { NO_OPENINGS } from "./no-openings.ts";
import { output } from "./outcomes.ts";
import { oneWorkflow } from "./workflows.ts";

/** What a state does in a test: what it says, or how it comes to say it. */
export type Script =
  | string
  | ((
      step: Step,
      cancellation: Cancellation,
      listener: StepListener,
    ) => StepOutcome | Promise<StepOutcome>);

/** An engine whose world is this process: states that are functions, a clock moved by hand. */
export interface World {
  readonly engine: Engine;
  readonly clock: SimulatedClock;
  readonly events: readonly Event[];
  /** Their numbers. */
  readonly numbers: readonly number[];
  /** Every state that was saved, in order. */
  readonly saves: readonly RunState[];
  /** What led to each save. */
  readonly journal: readonly JournalRecord[];
  /** Steps in the order of their start. */
  readonly steps: readonly Step[];
  readonly control: Control;
  /** As a signal to raymond would. */
  interrupt(signal: NodeJS.Signals): void;
  kill(): void;
  /** As `raymond retry-now` would. */
  hurry(): void;
  /** As `raymond answer`. */
  look(): void;
  /** As `raymond open`. */
  visit(): void;
  /** As `raymond wake`. */
  wake(agent: string | null): void;
}

const NO_RECORDER = {
  prompt: () => undefined,
  line: () => undefined,
  stdout: () => undefined,
  stderr: () => undefined,
  meta: () => undefined,
};

export function world(
  scripts: Readonly<Record<string, Script>>,
  changes: Partial<Engine> = {},
): World {
  const clock = new SimulatedClock();
  const events: Event[] = [];
  const numbers: number[] = [];
  const store = memoryStore();
  const steps: Step[] = [];
  const journal: JournalRecord[] = [];
  const interrupt = new AbortController();
  const kill = new AbortController();
  const hurried = new Set<() => void>();
  const answered = new Set<() => void>();
  const visited = new Set<() => void>();
  const woken = new Set<(agent: string | null) => void>();
  let sessions = 1;
  const engine: Engine = {
    workflows: oneWorkflow({
      dir: "/repo/workflow",
      names: () => Promise.resolve(Object.keys(scripts)),
      load: loaded((name) => `# ${name}`),
      path: (name) => `/repo/workflow/${name}`,
      source: (name) => `/repo/workflow/${name}`,
    }),
    executor: {
      execute: (step, cancellation, listener) => {
        steps.push(step);
        const script = scripts[step.file.name] ?? "";
        if (typeof script !== "string") {
          return Promise.resolve(script(step, cancellation, listener));
        }
        return Promise.resolve(said(step, script));
      },
    },
    store,
    journal: { append: (record) => void journal.push(record) },
    observer: {
      notify: (event, _run, seq) => {
        events.push(event);
        numbers.push(seq);
      },
    },
    answers: { take: () => Promise.resolve([]) },
    openings: NO_OPENINGS,
    lastTold: () => Promise.resolve(0),
    clock,
    ids: numberedIds("session-", () => sessions++),
    folders: {
      find: (base, name) => Promise.resolve(name.startsWith("/") ? name : `${base}/${name}`),
    },
    leftovers: NO_LEFTOVERS,
    backend: { ...backendFacts(), recall: () => Promise.resolve(null) },
    platform: "unix",
    recorder: () => NO_RECORDER,
    dice: () => 0.5,
    lostSession: "fail",
    ...changes,
  };
  return {
    engine,
    clock,
    events,
    numbers,
    saves: store.saves,
    steps,
    journal,
    control: {
      interrupt: interrupt.signal,
      kill: kill.signal,
      onRetryNow: (listener) => {
        hurried.add(listener);
      },
      onStopAfterSteps: () => undefined,
      onWake: (listener) => {
        woken.add(listener);
      },
      onAnswer: (listener) => {
        answered.add(listener);
      },
      onVisit: (listener) => {
        visited.add(listener);
      },
      attended: () => false,
      parks: () => false,
    },
    visit: () => {
      for (const listener of visited) listener();
    },
    hurry: () => {
      for (const listener of hurried) listener();
    },
    look: () => {
      for (const listener of answered) listener();
    },
    wake: (agent) => {
      for (const listener of woken) listener(agent);
    },
    interrupt: (signal) => {
      interrupt.abort(signal);
    },
    kill: () => {
      kill.abort();
    },
  };
}

/** A step that ended well and said this, in the session that it was given. */
export function said(step: Step, text: string): StepOutcome {
  return output(text, { session: step.file.kind === "prompt" ? step.session.id : null });
}

/** Resolves when a cancellation asks a step to end. */
export function cancelled({ interrupt, kill }: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of [interrupt, kill]) {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => {
        resolve();
      });
    }
  });
}

/** Loads states of these texts, as a folder would. */
export function loaded(textOf: (name: string) => string): Scope["load"] {
  return async (name) =>
    Promise.resolve(parseStateFile(name, textOf(name), `/repo/workflow/${name}`));
}
