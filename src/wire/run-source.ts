import type { Mask } from "../clients/common/conversations/incremental-copy.ts";
import type { Answers } from "../engine/ports/answers.ts";
import type { ControlRequest } from "../engine/ports/control-request.ts";
import type { Journal } from "../engine/ports/journal.ts";
import type { Observer } from "../engine/ports/observer.ts";
import type { Blocker, LockHolder, QueuedRun, Store } from "../engine/ports/store.ts";
import type { Actor } from "../machine/model/actor.ts";
import type { ControlAction } from "../machine/model/event.ts";
import type { RunId, RunState } from "../machine/model/run-state.ts";
import type { RunPlace } from "./run-place.ts";
import type { LocalCaller } from "./system/system.ts";

/** The runs of a state folder (`folder-runs.ts`) or of a fleet, with the same operations for both. */
export interface RunSource extends Store {
  /** Whether the runs are stored in a project, so that its authors may have written them. */
  readonly inProject: boolean;
  /** The journal of a run, to append to. `warn` is called once if that fails. */
  openJournal(id: RunId, warn: (message: string) => void): Promise<OpenJournal>;
  /** Whether the files of a run are where it was saved. `load` returns a moved run with its paths here. */
  place?(id: RunId): RunPlace;
  /** All records of the journal, one per line; null if there is none. */
  journalText(id: RunId): Promise<string | null>;
  answers(id: RunId, warn?: (message: string) => void): Promise<Answers>;
  /** Writes the events of a run where readers of this source find them. */
  eventWriter(
    id: RunId,
    clock: { now(): number },
    warn: (message: string) => void,
  ): Promise<Observer>;
  /** Number of the last event written; 0 without any. */
  lastEvent(id: RunId): Promise<number>;
  /**
   * Sends a request to the process that holds a run. Resolves with a function that withdraws it and returns
   * whether the process had not received it, or null if the process has died. Rejects with `run/out-of-reach` if it cannot be signalled from here.
   */
  sendRequest(
    id: RunId,
    holder: LockHolder,
    request: ControlRequest,
  ): Promise<(() => Promise<boolean>) | null>;
  /** Bytes that each run uses. Rejects for a run that cannot be deleted. */
  sizes(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, number>>;
  /**
   * Files and refs of these runs outside the source. `workerFolder`: state folder of a worker on
   * this machine (default: that of the project).
   */
  remains(
    ids: readonly RunId[],
    workerFolder: string | undefined,
    caller: LocalCaller,
  ): Promise<RunRemains>;
  /** A copy of the run's workflow on this machine; null without one. */
  workflowCopy(run: RunState): Promise<WorkflowCopy | null>;
  /** The fencing token of this process's claim on a run; null without a claim, and without tokens. */
  epoch(id: RunId): number | null;
  /**
   * Records a command that has no event, or whose event the sender cannot write, before its effect.
   * Rejects with a RaymondError if the user may not give it.
   */
  audit(id: RunId, action: AuditAction, actor: Actor): Promise<void>;
  readonly queue: RunQueue;
  /** Masks the values of secrets in conversations that this source stores. Called before the first step. */
  maskConversations?(mask: Mask): void;
  /** A sentence about how to keep conversations that are lost; null: no advice. */
  readonly lostAdvice: string | null;
}

/** Commands in the audit table of a fleet. The log of a state folder has only `prune`. */
export type AuditAction =
  | ControlAction
  | "answer"
  | "set"
  | "prune"
  | "submit"
  | "resume"
  | "move"
  | "drain"
  | "end-drain"
  | "limits"
  | "schedule"
  | "pause-schedule"
  | "resume-schedule"
  | "remove-schedule";

export interface OpenJournal extends Journal {
  close(): void;
}

/** Runs that wait for a worker. The queue of a state folder is always empty. */
export interface RunQueue {
  /** Queued runs, and runs that a worker has received and not yet claimed. */
  expected(): Promise<ReadonlyMap<RunId, QueuedRun>>;
  /** Reasons outside the run's state why it, or a step in progress, waits. */
  waitReasons(id: RunId): Promise<readonly Blocker[]>;
  /** Removes a run, if it is queued. */
  withdraw(id: RunId): Promise<void>;
  /** Removes the start time of a queued run. False if it has none. */
  startNow(id: RunId): Promise<boolean>;
  /** Queues a stopped run again. False if there are no workers. */
  requeue(id: RunId): Promise<boolean>;
}

export interface WorkflowCopy {
  /** Replaces the path that the user named. */
  readonly path: string;
  /** The folder that holds its states. */
  readonly scopeDir: string;
}

/**
 * Files and refs of fleet runs outside the database: in the folder of a worker on this machine, and
 * in the remote repositories of git workspaces. Deleted with the runs.
 */
export interface RunRemains {
  /** Empty if the folder has no worker, or workers of several fleets. */
  readonly here: ReadonlyMap<RunId, LocalRemains>;
  readonly remotes: readonly RemoteRemains[];
}

/** The log, the debug files and the workspace of a run in the folder of a worker. */
export interface LocalRemains {
  readonly bytes: number;
  /** The fleet has this run. */
  readonly isKnown: boolean;
  /** Deletes them, unless the fleet has such a run, or has one again. */
  remove(): Promise<void>;
}

export interface RemoteRemains {
  readonly repository: string;
  /** Number of refs by run. */
  readonly refs: ReadonlyMap<RunId, number>;
  /** Why the remote could not be read; null if it could. */
  readonly trouble: string | null;
  /** Deletes the refs of these runs if they are unchanged. Resolves with an error message, or null. */
  remove(runs: readonly RunId[]): Promise<string | null>;
  command(runs: readonly RunId[]): string;
}

/** The part of a source that is the same without a fleet. */
export const LOCAL: Pick<RunSource, "remains" | "workflowCopy"> = {
  remains: () => Promise.resolve({ here: new Map(), remotes: [] }),
  workflowCopy: () => Promise.resolve(null),
};

export const NO_QUEUE: RunQueue = {
  expected: () => Promise.resolve(new Map()),
  waitReasons: () => Promise.resolve([]),
  withdraw: () => Promise.resolve(),
  startNow: () => Promise.resolve(false),
  requeue: () => Promise.resolve(false),
};
