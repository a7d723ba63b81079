import type { Control, Engine } from "../../../src/engine/engine.ts";
import { onlyBackend } from "../../../src/engine/ports/backend.ts";
import type { Cancellation } from "../../../src/engine/ports/cancellation.ts";
import type { Scope } from "../../../src/engine/ports/scope.ts";
import type { StepListener } from "../../../src/engine/ports/step-events.ts";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";
import type { Step } from "../../../src/machine/decide/step.ts";
import type { Event } from "../../../src/machine/model/event.ts";
import type { StepOutcome } from "../../../src/machine/model/outcome.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import type { ResultByHand } from "../../../src/machine/moves/set-result.ts";
import type { JournalRecord } from "../../../src/machine/record/journal.ts";
import { backendFacts } from "../backend-facts.ts";
import { SimulatedClock } from "../clock.ts";
import { numberedIds } from "../ids.ts";
import { output } from "../outcomes.ts";
import { NO_SCHEMAS } from "../workflow/no-schemas.ts";
import { oneWorkflow } from "../workflow/workflows.ts";
import { memoryStore } from "./memory-store.ts";
import { NO_MANUAL_SESSIONS } from "./no-manual-sessions.ts";
import { NO_ORPHANS } from "./no-orphans.ts";

/** A state in a test: its output, or a function. */
export type Script =
  | string
  | ((
      step: Step,
      cancellation: Cancellation,
      listener: StepListener,
    ) => StepOutcome | Promise<StepOutcome>);

/** An engine with in-process states and a simulated clock. */
export interface World {
  readonly engine: Engine;
  readonly clock: SimulatedClock;
  readonly events: readonly Event[];
  /** Sequence numbers of the events. */
  readonly numbers: readonly number[];
  /** All saved states, in order. */
  readonly saves: readonly RunState[];
  /** The journal records. */
  readonly journal: readonly JournalRecord[];
  /** Started steps, in order. */
  readonly steps: readonly Step[];
  readonly control: Control;
  /** As a signal to raymond. */
  interrupt(signal: NodeJS.Signals): void;
  kill(): void;
  /** As `raymond retry`. */
  retryNow(): void;
  /** As `raymond answer`. */
  checkAnswers(): void;
  /** As `raymond set`. */
  setResult(given: ResultByHand): void;
  /** As `raymond open`. */
  openSession(): void;
  /** As `raymond retry AGENT`. */
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
  const setters = new Set<(given: ResultByHand) => void>();
  const woken = new Set<(agent: string | null) => void>();
  let sessions = 1;
  const engine: Engine = {
    workflows: oneWorkflow({
      dir: "/repo/workflow",
      names: () => Promise.resolve(Object.keys(scripts)),
      load: loaded((name) => `# ${name}`),
      path: (name) => `/repo/workflow/${name}`,
      source: (name) => `/repo/workflow/${name}`,
      ...NO_SCHEMAS,
    }),
    executor: {
      execute: (step, cancellation, listener) => {
        steps.push(step);
        const script = scripts[step.file.name] ?? "";
        if (typeof script !== "string") {
          return Promise.resolve(script(step, cancellation, listener));
        }
        return Promise.resolve(modelReply(step, script));
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
    answers: { collect: () => Promise.resolve([]) },
    manualSessions: NO_MANUAL_SESSIONS,
    lastEventSeq: () => Promise.resolve(0),
    clock,
    ids: numberedIds("session-", () => sessions++),
    folders: {
      find: (base, name) => Promise.resolve(name.startsWith("/") ? name : `${base}/${name}`),
      withTarget: (place) => [place],
    },
    orphans: NO_ORPHANS,
    backends: onlyBackend({ ...backendFacts(), recover: () => Promise.resolve(null) }),
    platform: "unix",
    recorder: () => NO_RECORDER,
    random: () => 0.5,
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
      onSetResult: (listener) => {
        setters.add(listener);
      },
      onControlled: () => undefined,
      onWake: (listener) => {
        woken.add(listener);
      },
      onAnswer: (listener) => {
        answered.add(listener);
      },
      onManualSession: (listener) => {
        visited.add(listener);
      },
      attended: () => false,
      parksWhenIdle: () => false,
    },
    setResult: (given) => {
      for (const listener of setters) listener(given);
    },
    openSession: () => {
      for (const listener of visited) listener();
    },
    retryNow: () => {
      for (const listener of hurried) listener();
    },
    checkAnswers: () => {
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

/** Output of a successful step in its session. */
export function modelReply(step: Step, text: string): StepOutcome {
  return output(text, { session: step.file.kind === "prompt" ? step.session.id : null });
}

/** Resolves when the step is cancelled. */
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

/** Loads states from these texts. */
export function loaded(textOf: (name: string) => string): Scope["load"] {
  return async (name) =>
    Promise.resolve(parseStateFile(name, textOf(name), `/repo/workflow/${name}`));
}
