import type { Settings } from "../config/switches.ts";
import type { LockHolder, RunSummary } from "../engine/ports/store.ts";
import type { MicroUsd } from "../language/basics/money.ts";
import type { RunId, RunStatus } from "../machine/run-state.ts";
import type { Caller, FleetRuns } from "../wire/caller.ts";

/** A fleet for the dashboard: reads only the runs and machines that are shown. */
export interface FleetBoard {
  readonly runs: FleetRuns;
  /** Runs, last started first. */
  list(wanted: WantedRuns): Promise<ListedRuns>;
  /**
   * Changes of a run. Concurrent calls share one database query, and the query rate is limited.
   * Null if there is no such run.
   */
  glance(id: RunId): Promise<FleetGlance | null>;
  machines(): Promise<readonly FleetMachine[]>;
  accounts(): Promise<readonly FleetAccount[]>;
  schedules(): Promise<readonly FleetSchedule[]>;
  /** Runs without a worker, grouped by the workers that may claim them. */
  queues(): Promise<readonly FleetQueue[]>;
  /** Gives a run to the fleet, with its workflow as it is now in the folder of the caller. */
  submit(wanted: BoardSubmit, caller: Caller): Promise<RunId>;
  /** Puts a run that has stopped into its queue again. */
  resume(
    wanted: {
      readonly run: RunId;
      readonly addBudgetMicroUsd?: MicroUsd | undefined;
      readonly settings?: Partial<Settings> | undefined;
    },
    caller: Caller,
  ): Promise<RunId>;
  /** Deletes local copies of a run that is no longer watched. */
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
  /** The only machine that may claim it, set by the user; null: any of the pool. */
  readonly pinned: string | null;
  /** The absent machine that alone can resume it; null: it waits for none. */
  readonly waitsFor: string | null;
  /** Why no worker claims it; null if it was not set aside. */
  readonly setAside: string | null;
}

/** The part of a run's row that shows whether to read more. */
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
  /** Null if unknown. */
  readonly heartbeatAt: Date | null;
  readonly pools: readonly string[];
  readonly accounts: readonly string[];
  /** Maximum number of concurrent runs. */
  readonly slots: number;
  /** Runs in progress. */
  readonly activeRuns: number;
  /** Runs that are at home there and not over. */
  readonly runs: number;
  readonly version: string;
}

/** An account of a fleet. A limit of null is no limit. */
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
  /** Runs in progress. */
  readonly runs: number;
  /** Runs started within the interval of its rate limit. */
  readonly started: number;
  /** Clients that run. */
  readonly slots: number;
  readonly todayMicroUsd: MicroUsd;
  /** Runs and steps that wait for one of these limits, and the runs that wait longest: some. */
  readonly waiting: number;
  readonly waiters: readonly RunId[];
  readonly cooldown: { readonly until: Date; readonly message: string } | null;
}

/** A recurring start of a workflow. */
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
  readonly createdAt: Date;
}

/** Runs of a queue: all that the same machines may take. */
export interface FleetQueue {
  /** The machine that alone may take them; null: any of the pool that has the account. */
  readonly machine: string | null;
  readonly pool: string;
  readonly account: string | null;
  readonly runs: number;
  /** Number of runs with a later start time. */
  readonly later: number;
  /** The one of them that was submitted first. */
  readonly first: RunId;
  /** A live worker claims them. */
  readonly served: boolean;
  /** All live workers that may claim them are drained. */
  readonly drained: boolean;
  /** All live workers that may claim them lack a working client. */
  readonly lacksClient: boolean;
}

/** A run that is submitted from the dashboard. */
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
