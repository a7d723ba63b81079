import type { AgentId } from "../core/machine/agent.ts";
import type { RerunOrigin, RunId, RunState, RunStatus } from "../core/machine/run-state.ts";
import type { StateName } from "../core/protocol/transition.ts";
import type { Answers } from "./answers.ts";
import type { Artifacts } from "./artifacts.ts";
import type { ControlRequest } from "./control-request.ts";
import type { Journal } from "./journal.ts";
import type { Observer } from "./observer.ts";

/** What `raymond list` shows of a run; null where its state file is unreadable, and nobody knows. */
export interface RunSummary {
  readonly id: RunId;
  /**
   * `crashed`: the file says running or waiting, and no process holds the lock.
   * `queued`: it says so in a fleet, where a worker is to take it.
   * `held`: it says so, and one does that cannot be seen from here.
   */
  readonly status: RunStatus | "crashed" | "held" | "queued" | "unreadable";
  /** Who holds a run that runs, waits or is `held`; null where nobody does, and of any other. */
  readonly holder: LockHolder | null;
  readonly workflow: string | null;
  readonly simulated: boolean | null;
  readonly costMicroUsd: number | null;
  /** Where it comes from that a rerun has begun; null of any other. */
  readonly origin: Pick<RerunOrigin, "run" | "step"> | null;
  readonly steps: number | null;
  readonly agents: number | null;
  readonly startedAt: string | null;
  /** Until when a run that is `waiting` does nothing, or one that is `queued` is not begun, ISO 8601; null of any other. */
  readonly waitsUntil: string | null;
  /** What its agents ask persons. */
  readonly questions: readonly AskedQuestion[];
  /** Of an unreadable file: when it was changed. */
  readonly updatedAt: string;
  /** Why an unreadable state file is unreadable. */
  readonly problem: string | null;
}

/** A question of a run, as far as its state file tells: of a long one the text lies elsewhere, and is null. */
export interface AskedQuestion {
  readonly agent: AgentId;
  /** The state that asks. */
  readonly state: StateName;
  readonly number: number;
  readonly question: string | null;
  readonly options: readonly string[] | null;
  /** ISO 8601; null: it may be answered for ever. */
  readonly until: string | null;
  /** Somebody has answered, and the run has not heard of it yet. */
  readonly answered: boolean;
}

/** Who holds a run: shown to the second orchestrator (docs/state-file.md, "The lock"). */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  /** Names the process beyond its pid (`src/process/identity.ts`). */
  readonly identity: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** False: on another host, or in another container; nobody can tell here whether it lives. */
  readonly visible: boolean;
  /** When it was last heard: its last save or event, as far as that is known. ISO 8601. */
  readonly heardAt: string;
}

/** A run of a list that a worker of its fleet is to take. */
export function asQueued<Run extends RunSummary>(run: Run, { beginsAt }: Expected): Run {
  const waitsUntil = beginsAt === null ? null : new Date(beginsAt).toISOString();
  return { ...run, status: "queued", waitsUntil };
}

/** How a run is claimed. */
export interface Claiming {
  /**
   * Also from a holder that cannot be seen from here, or is known by nothing but
   * its pid: it is taken for dead. One that surely lives keeps it all the same.
   */
  readonly takeOver?: boolean | undefined;
}

/**
 * The status of a run whose state says that it runs or waits, as people see it
 * (docs/state-file.md, "The run"): one that nobody holds has crashed, and of one
 * that is held elsewhere nobody knows here.
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
  /** The holder that was taken for dead; null where nobody held the run. */
  readonly takenFrom: LockHolder | null;
  release(): Promise<void>;
}

/**
 * Where runs live. `tests/contracts/store.ts` is the contract in executable
 * form. Reading never locks and never writes.
 */
export interface Store {
  /**
   * Replaces the run's document as a whole: a reader sees the old one or the
   * new one, and after the promise resolves the new one survives a power loss.
   * The revision of a document is its `saves`; `expected` is that of the one
   * which this one goes on from, 0 for the first. Where another one is kept,
   * somebody else has saved the run since: the save is refused with
   * `RunTakenError`, and changes nothing, whoever holds the lock. Where none is
   * kept any more, it is taken. What a save that has failed for another reason
   * has left is no other's: the next may expect what that one did.
   */
  save(run: RunState, expected: number): Promise<void>;
  /** Undefined when there is no such run; rejects with a RaymondError when it cannot be read. */
  load(id: RunId): Promise<RunState | undefined>;
  /** The run whose id is this one, upper and lower case aside; null where there is none. Reads no state of other runs. */
  sameId(id: RunId): Promise<RunId | null>;
  /** All runs, last started first. Damaged ones are listed as `unreadable`. */
  list(): Promise<readonly RunSummary[]>;
  /** Claims the run for this process; rejects with `RunLockedError` when another holds it. */
  lock(id: RunId, claiming?: Claiming): Promise<RunLock>;
  /** Who holds the run now; null when nobody does. */
  holder(id: RunId): Promise<LockHolder | null>;
  /** Deletes the run and all its artifacts. Rejects with `RunLockedError` while it is held. */
  remove(id: RunId, claiming?: Claiming): Promise<void>;
  /** Where the run keeps what it owns besides its state, before its first save too. */
  artifacts(id: RunId): Promise<Artifacts>;
  /** Of a store that is not of this machine alone. */
  readonly remote?: Remote;
}

/** What keeps a run from going on, or a step of an agent of it that has begun, and is no fact of the run itself. */
export interface HeldUp {
  /** Null: the run as a whole. */
  readonly agent: AgentId | null;
  /** Such as `waits for a worker with the account team`. */
  readonly message: string;
  /** What a person can do about it, the first thing first. */
  readonly ways?: readonly WayOn[];
}

/** Something that a person can do. */
export interface WayOn {
  /** What it is for, such as `begin it now`. */
  readonly about: string;
  /** The words that raymond is called with: `wake ID`. */
  readonly command: string;
}

/** A run that somebody is to go on with. */
export interface Expected {
  /** When it begins, epoch ms, where that is still to come. */
  readonly beginsAt: number | null;
}

/** What a store does beside for runs that other machines hold, and whose artifacts lie there. */
export interface Remote {
  /** What persons answer. */
  answers(id: RunId, warn?: (message: string) => void): Answers;
  /** Leaves a request for the process that holds the run; the returned function takes it back. */
  sendRequest(id: RunId, request: ControlRequest): Promise<() => Promise<void>>;
  /** What led to each save, kept with it; the file of that name is not written then. */
  journal(id: RunId): Journal;
  /** All that is kept of it, a record a line; null where there is none. */
  journalText(id: RunId): Promise<string | null>;
  /** Nobody is to go on with it until somebody asks for that. */
  withdraw(id: RunId): Promise<void>;
  /** What keeps a run that its state does not tell of. */
  heldUp(id: RunId): Promise<readonly HeldUp[]>;
  /** Runs that somebody is to go on with: they are in a queue, or were handed out from it. */
  expected(): Promise<ReadonlyMap<RunId, Expected>>;
  /** Has a run begin now that was to begin later. False where it was not. */
  beginNow(id: RunId): Promise<boolean>;
  /** Puts a run that has stopped back into its queue: a worker resumes it. */
  requeue(id: RunId): Promise<void>;
  /** Where its events are kept for all, beside the log of the machine that tells them. */
  events(id: RunId, clock: { now(): number }, warn: (message: string) => void): Observer;
  /** The bytes of all that is kept for all of these runs, by their ids. */
  sizes(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, number>>;
  /** Number of the last event that is kept for all; 0 without any. */
  lastTold(id: RunId): Promise<number>;
  /** The fencing token of the claim by which this process has the run; null where it has not. */
  epoch(id: RunId): number | null;
  /** What would have kept conversations that are gone, as a sentence. */
  readonly lostAdvice?: string;
}
