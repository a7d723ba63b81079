import type { Platform } from "../language/workflow/files/platform.ts";
import type { Step } from "../machine/decide/step.ts";
import type { Actor } from "../machine/model/actor.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { ResultByHand } from "../machine/moves/set-result.ts";
import type { Answers } from "./ports/answers.ts";
import type { Backend, Backends } from "./ports/backend.ts";
import type { Clock } from "./ports/clock.ts";
import type { Controlled } from "./ports/control-request.ts";
import type { Executor } from "./ports/executor.ts";
import type { Folders } from "./ports/folders.ts";
import type { Ids } from "./ports/ids.ts";
import type { Journal } from "./ports/journal.ts";
import type { ManualSessions } from "./ports/manual-sessions.ts";
import type { Observer } from "./ports/observer.ts";
import type { OrphanProcesses } from "./ports/orphans.ts";
import type { Snapshots } from "./ports/snapshots.ts";
import type { StepRecorder } from "./ports/step-events.ts";
import type { Store } from "./ports/store.ts";
import type { Workflows } from "./ports/workflows.ts";
import type { Worktrees } from "./ports/worktrees.ts";

/** The ports of the engine. `src/wire/engine/engine.ts` builds the production instance. */
export interface Engine {
  readonly workflows: Workflows;
  readonly executor: Executor;
  readonly store: Pick<Store, "save">;
  readonly journal: Journal;
  readonly observer: Observer;
  readonly answers: Pick<Answers, "collect">;
  readonly manualSessions: ManualSessions;
  /** Number of the last event in the run's log; 0 for none. Never rejects. */
  lastEventSeq(): Promise<number>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly folders: Folders;
  readonly orphans: OrphanProcesses;
  /**
   * Fencing token of this process's claim of the run; null or absent where claims have no epochs.
   */
  readonly epoch?: number | null;
  readonly backends: Backends<Omit<Backend, "invoke">>;
  readonly platform: Platform;
  /** Absent: no snapshots. */
  readonly snapshots?: Snapshots | undefined;
  /** Absent in workflow tests: agents get no worktrees. */
  readonly worktrees?: Worktrees | undefined;
  /** Receives the debug output of a step. */
  recorder(step: Step): StepRecorder;
  /** In [0, 1). */
  random(): number;
  /** Who started or resumed the run; absent in workflow tests. */
  readonly actor?: Actor | undefined;
  /** `--lost-session`: whether a step may start a new session if its conversation is lost. */
  readonly lostSession: "fail" | "fresh";
}

/** Requests to stop or hurry a run, from outside the engine. */
export interface Control {
  /** Aborts with the signal name as its reason. No step starts; steps in flight are interrupted. */
  readonly interrupt: AbortSignal;
  readonly kill: AbortSignal;
  /** Subscribes to requests to retry without waiting (`raymond retry`). */
  onRetryNow(listener: () => void): void;
  /**
   * Subscribes to requests to end the delay of an agent, or of all agents (null) (`raymond retry`).
   */
  onWake(listener: (agent: AgentId | null) => void): void;
  /**
   * Subscribes to new answers (`raymond answer`), and to the loss of the last person who could
   * answer.
   */
  onAnswer(listener: () => void): void;
  /** Subscribes to requests to stop after the steps in flight (`raymond stop --after-steps`). */
  onStopAfterSteps(listener: () => void): void;
  /** Subscribes to results that persons set (`raymond set`). */
  onSetResult(listener: (given: ResultByHand) => void): void;
  /** Subscribes to the record of who sent a request. */
  onControlled(listener: (controlled: Controlled) => void): void;
  /** Passes on requests that have arrived without a signal of their own, before the run ends. */
  receiveLate?(): Promise<void>;
  /** Subscribes to manual sessions that start or end (`raymond open`). */
  onManualSession(listener: () => void): void;
  /** Whether a person at this terminal can answer questions. */
  attended(): boolean;
  /**
   * Whether the run stops while it only waits for a time, to be resumed at that time (`--park`).
   */
  parksWhenIdle(): boolean;
}
