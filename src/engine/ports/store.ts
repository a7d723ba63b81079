import type { StateName } from "../../language/protocol/transition.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { RerunOrigin, RunId, RunState, RunStatus } from "../../machine/model/run-state.ts";
import type { Artifacts } from "./artifacts.ts";

/** An entry of `raymond list`. Fields are null if the state file is unreadable. */
export interface RunSummary {
  readonly id: RunId;
  /**
   * `crashed`: the file says running or waiting, but no process holds the lock. `queued`: the same
   * in a fleet, and a worker will claim the run. `held`: the same, and the lock holder cannot be
   * checked from this machine.
   */
  readonly status: RunStatus | "crashed" | "held" | "queued" | "unreadable";
  /** The lock holder of a run that is running, waiting or `held`; else null. */
  readonly holder: LockHolder | null;
  readonly workflow: string | null;
  readonly simulated: boolean | null;
  readonly costMicroUsd: number | null;
  /** The original run of a rerun; else null. */
  readonly origin: Pick<RerunOrigin, "run" | "step"> | null;
  readonly steps: number | null;
  readonly agents: number | null;
  readonly startedAt: string | null;
  /** When a `waiting` run continues or a `queued` run starts, ISO 8601; else null. */
  readonly waitsUntil: string | null;
  readonly questions: readonly AskedQuestion[];
  /** For an unreadable file: its modification time. */
  readonly updatedAt: string;
  /** Why the state file is unreadable. */
  readonly problem: string | null;
}

/** A question as stored in the state file. A long text is stored elsewhere, and null here. */
export interface AskedQuestion {
  readonly agent: AgentId;
  /** The state that asks. */
  readonly state: StateName;
  readonly number: number;
  readonly question: string | null;
  readonly options: readonly string[] | null;
  /** ISO 8601; null: no deadline. */
  readonly until: string | null;
  /** An answer exists that the run has not processed yet. */
  readonly answered: boolean;
}

/** The process that holds a run (docs/state-file.md, "Locking"). */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  /** Identifies the process beyond its pid (`src/process/platform/identity.ts`). */
  readonly identity: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /**
   * False on another host or in another container: whether the process is alive cannot be checked
   * here.
   */
  readonly visible: boolean;
  /** Time of its last known save or event, ISO 8601. */
  readonly lastSeenAt: string;
}

/** Marks a listed run as queued for a worker. */
export function asQueued<Run extends RunSummary>(run: Run, { startsAt: beginsAt }: QueuedRun): Run {
  const waitsUntil = beginsAt === null ? null : new Date(beginsAt).toISOString();
  return { ...run, status: "queued", waitsUntil };
}

export interface ClaimOptions {
  /**
   * Also claim from a holder that cannot be checked from here, or that is known only by its pid. A
   * holder that is known to be alive keeps the run.
   */
  readonly takeOver?: boolean | undefined;
}

/**
 * The status of a live run for display (docs/state-file.md, "Run"): without a holder it has
 * crashed.
 */
export function heldStatus<Status extends RunStatus>(
  status: Status,
  holder: LockHolder | null,
): Status | "crashed" | "held" {
  if (holder === null) return "crashed";
  return holder.visible ? status : "held";
}

/** The right to write a run. Releasing is idempotent. */
export interface RunLock {
  /** The presumed dead holder; null if the run was free. */
  readonly previousHolder: LockHolder | null;
  release(): Promise<void>;
}

/**
 * Stores runs. `tests/contracts/store.ts` is the executable contract. Reading never locks and never
 * writes.
 */
export interface Store {
  /**
   * Replaces the run's document atomically: a reader sees the old or the new one. It is durable
   * when the promise resolves. `expected` is the revision (`saves`) of the document that this one
   * is based on, 0 for the first. If another revision is stored, another process has saved the run:
   * the save fails with `store/run-taken` and changes nothing, regardless of the lock. If the
   * document was deleted, the save succeeds. After a save that failed for another reason, the next
   * save may expect the same revision.
   */
  save(run: RunState, expected: number): Promise<void>;
  /** Undefined if the run does not exist. Rejects with a RaymondError if it cannot be read. */
  load(id: RunId): Promise<RunState | undefined>;
  /** The id of the run that equals `id` except for case; null for none. Reads no state files. */
  findIdIgnoringCase(id: RunId): Promise<RunId | null>;
  /** All runs, newest first. Damaged ones are listed as `unreadable`. */
  list(): Promise<readonly RunSummary[]>;
  /** Claims the run for this process. Rejects with `RunLockedError` if another process holds it. */
  lock(id: RunId, claiming?: ClaimOptions): Promise<RunLock>;
  /** The current holder of the run; null for none. */
  holder(id: RunId): Promise<LockHolder | null>;
  /** Deletes the run and all its artifacts. Rejects with `RunLockedError` while it is held. */
  remove(id: RunId, claiming?: ClaimOptions): Promise<void>;
  /** The artifact paths of a run, also before its first save. */
  artifacts(id: RunId): Promise<Artifacts>;
}

/** A reason outside the run's own state why it, or a running step, does not progress. */
export interface Blocker {
  /** Null: the whole run. */
  readonly agent: AgentId | null;
  /** For example `waits for a worker with the account team`. */
  readonly message: string;
  /** Suggested commands, the best one first. */
  readonly remedies?: readonly Remedy[];
}

export interface Remedy {
  /** For example `start it now`. */
  readonly purpose: string;
  /** Arguments for raymond: `retry ID`. */
  readonly command: string;
}

/** A run in the queue, or claimed from it. */
export interface QueuedRun {
  /** Scheduled start, epoch ms; null if the run may start now. */
  readonly startsAt: number | null;
}
