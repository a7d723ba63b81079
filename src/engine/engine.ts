import type { AgentId } from "../core/machine/agent.ts";
import type { Step } from "../core/machine/step.ts";
import type { Platform } from "../core/workflow/platform.ts";
import type { Answers } from "../ports/answers.ts";
import type { Backend } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executor } from "../ports/executor.ts";
import type { Folders } from "../ports/folders.ts";
import type { Ids } from "../ports/ids.ts";
import type { Journal } from "../ports/journal.ts";
import type { Leftovers } from "../ports/leftovers.ts";
import type { Observer } from "../ports/observer.ts";
import type { Openings } from "../ports/openings.ts";
import type { StepRecorder } from "../ports/step-events.ts";
import type { Store } from "../ports/store.ts";
import type { Workflows } from "../ports/workflows.ts";

/** The world, as far as the engine can see it. `runs/wire/engine.ts` builds the real one. */
export interface Engine {
  readonly workflows: Workflows;
  readonly executor: Executor;
  readonly store: Pick<Store, "save">;
  readonly journal: Journal;
  readonly observer: Observer;
  readonly answers: Pick<Answers, "take">;
  readonly openings: Openings;
  /** Number of the last event that the log of the run tells; 0 without any. Never rejects. */
  lastTold(): Promise<number>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly folders: Folders;
  readonly leftovers: Leftovers;
  /** The fencing token of the claim by which this process has the run; null or absent where claims have none. */
  readonly epoch?: number | null;
  /** What answers the prompts, and can tell what has become of a call. */
  readonly backend: Omit<Backend, "invoke">;
  readonly platform: Platform;
  /** Where the raw material of a step is written. */
  recorder(step: Step): StepRecorder;
  /** In [0, 1). */
  dice(): number;
  /** `--lost-session`: whether a conversation that is gone may be forgotten. */
  readonly lostSession: "fail" | "fresh";
}

/** How a run is asked to stop from outside: by a signal to raymond. */
export interface Control {
  /** Aborts with the name of the signal as its reason: no step starts, those in flight are interrupted. */
  readonly interrupt: AbortSignal;
  /** Those in flight are killed. */
  readonly kill: AbortSignal;
  /** Calls back whenever somebody asks not to wait any longer (`raymond retry-now`). */
  onRetryNow(listener: () => void): void;
  /** Calls back whenever somebody asks that an agent, or all (null), go on before its delay is over (`raymond wake`). */
  onWake(listener: (agent: AgentId | null) => void): void;
  /** Calls back whenever somebody says that a question was answered (`raymond answer`), or that nobody is left to answer. */
  onAnswer(listener: () => void): void;
  /** Calls back whenever somebody asks the run to stop once the steps in flight have ended (`raymond stop --after-steps`). */
  onStopAfterSteps(listener: () => void): void;
  /** Calls back whenever somebody says that they want, or leave, the conversation of an agent (`raymond open`). */
  onVisit(listener: () => void): void;
  /** Whether somebody sits here who is asked what agents ask. */
  attended(): boolean;
  /** Whether a run that only waits for a time stops, to be resumed at that time (`--park`). */
  parks(): boolean;
}
