import type { RunId, RunStatus } from "../core/machine/run-state.ts";
import type { MicroUsd } from "../core/money.ts";
import type { LockHolder, RunSummary } from "../ports/store.ts";
import type { Caller, FleetRuns } from "./caller.ts";
import type { ResumeOptions } from "./resume.ts";

/** A fleet for who watches it: many runs and machines, of which no more is read than is shown. */
export interface FleetBoard {
  readonly runs: FleetRuns;
  /** Runs, the last started first: so many at most, of all or of those that are wanted. */
  list(wanted: WantedRuns): Promise<ListedRuns>;
  /**
   * What has changed of a run. Whoever asks at the same time is answered by one look at the
   * database, and there are only some looks a second. Null where there is no such run.
   */
  glance(id: RunId): Promise<FleetGlance | null>;
  machines(): Promise<readonly FleetMachine[]>;
  accounts(): Promise<readonly FleetAccount[]>;
  schedules(): Promise<readonly FleetSchedule[]>;
  /** Runs that nobody goes on with yet, by who may take them. */
  queues(): Promise<readonly FleetQueue[]>;
  /** Gives a run to the fleet, with its workflow as it is now in the folder of the caller. */
  submit(wanted: BoardSubmit, caller: Caller): Promise<RunId>;
  /** Puts a run that has stopped into its queue again. */
  resume(
    wanted: Pick<ResumeOptions, "addBudgetMicroUsd" | "settings"> & { readonly run: RunId },
    caller: Caller,
  ): Promise<RunId>;
  /** Nobody watches the run any more: what was copied of it goes away. */
  forget(id: RunId): Promise<void>;
}

/** Which runs. */
export interface WantedRuns {
  /** Of these statuses; null: of all. */
  readonly statuses: readonly RunStatus[] | null;
  /** Each is found in the id, the workflow, the machine, the pool or the account. */
  readonly words: readonly string[];
  /** Those behind this one, as {@link ListedRuns} has said; null: from the first. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ListedRuns {
  readonly runs: readonly FleetRun[];
  /** What older ones are asked for by; null where there are none. */
  readonly next: string | null;
}

/** A run, and where it is. */
export interface FleetRun extends RunSummary {
  readonly place: RunPlace | null;
}

/** Where a run of a fleet is, and may be. */
export interface RunPlace {
  readonly pool: string;
  readonly account: string | null;
  /** The machine that has its files and conversations; null before one has taken it. */
  readonly home: string | null;
  readonly workspace: string;
  /** The machine that alone may take it, as somebody has said; null: any of the pool. */
  readonly pinned: string | null;
  /** The machine that alone may go on with it, and is not there; null where it waits for none. */
  readonly waitsFor: string | null;
  /** Why nobody is to take it; null where it was not set aside. */
  readonly setAside: string | null;
}

/** How a run stands in the database: as little as tells whether to read more. */
export interface FleetGlance {
  readonly holder: LockHolder | null;
  /** A worker is to take it. */
  readonly isExpected: boolean;
  readonly place: RunPlace | null;
  /** Changes with anything that is shown of it; its event log apart. */
  readonly signature: string;
}

/** A machine of a fleet. */
export interface FleetMachine {
  readonly id: string;
  readonly lives: boolean;
  /** It is to take no runs. */
  readonly draining: boolean;
  /** Why its client cannot answer prompts, by account; the empty name is the log-in of its worker. */
  readonly clientProblems: Readonly<Record<string, string>>;
  /** Null where nobody remembers. */
  readonly heardAt: Date | null;
  readonly pools: readonly string[];
  readonly accounts: readonly string[];
  /** It goes on with so many runs at once. */
  readonly slots: number;
  /** Runs that it goes on with now. */
  readonly inHand: number;
  /** Runs that are at home there and not over. */
  readonly runs: number;
  readonly version: string;
}

/** An account of a fleet, with its limits; one that is null is none. */
export interface FleetAccount {
  readonly name: string;
  /** Machines that live and have it. */
  readonly machines: readonly string[];
  readonly limits: {
    readonly runs: number | null;
    readonly rate: { readonly runs: number; readonly ms: number } | null;
    readonly slots: number | null;
    readonly perDayMicroUsd: MicroUsd | null;
  };
  /** Runs that go on. */
  readonly runs: number;
  /** Runs that have begun within the span of its rate. */
  readonly begun: number;
  /** Clients that run. */
  readonly slots: number;
  readonly todayMicroUsd: MicroUsd;
  /** Runs and steps that wait for one of these limits, and the runs that wait longest: some. */
  readonly waiting: number;
  readonly waiters: readonly RunId[];
  readonly cooldown: { readonly until: Date; readonly message: string } | null;
}

/** When a workflow is begun again and again. */
export interface FleetSchedule {
  readonly name: string;
  readonly cron: string;
  readonly zone: string;
  readonly next: Date;
  readonly paused: boolean;
  /** What the workflow is called. */
  readonly workflow: string;
  readonly lastRun: RunId | null;
  readonly lastAt: Date | null;
  readonly madeAt: Date;
}

/** Runs of a queue: all that the same machines may take. */
export interface FleetQueue {
  /** The machine that alone may take them; null: any of the pool that has the account. */
  readonly machine: string | null;
  readonly pool: string;
  readonly account: string | null;
  readonly runs: number;
  /** Of them, those that begin at a moment that somebody has named. */
  readonly later: number;
  /** The one of them that was submitted first. */
  readonly first: RunId;
  /** Who may take them lives, and takes runs. */
  readonly served: boolean;
  /** Who may take them lives, and is drained. */
  readonly drained: boolean;
  /** Who may take them lives, and its client does not work. */
  readonly lacksClient: boolean;
}

/** A run that somebody who watches a fleet gives to it. */
export interface BoardSubmit {
  readonly workflow: string;
  readonly input: string | undefined;
  readonly budgetMicroUsd: MicroUsd | undefined;
  readonly simulate: boolean | undefined;
  /** The usual one without it. */
  readonly pool: string | undefined;
  /** The worker's own without it. */
  readonly account: string | undefined;
}
