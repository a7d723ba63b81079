import type { Settings } from "../config/switches.ts";
import type { LockHolder, RunSummary } from "../engine/ports/store.ts";
import type { MicroUsd } from "../language/basics/money.ts";
import type { RunId, RunStatus } from "../machine/model/run-state.ts";
import type { Caller, FleetRuns } from "../wire/caller.ts";

/** The fleet as the dashboard uses it. Reads only the runs and machines that are shown. */
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
  /** Submits a run with the current workflow in the caller's folder. */
  submit(wanted: BoardSubmit, caller: Caller): Promise<RunId>;
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

export interface WantedRuns {
  /** Null: all. */
  readonly statuses: readonly RunStatus[] | null;
  /** Each must occur in the id, workflow, machine, pool or account. */
  readonly words: readonly string[];
  /** `next` of the previous page; null: the first page. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ListedRuns {
  readonly runs: readonly FleetRun[];
  /** Null on the last page. */
  readonly next: string | null;
}

export interface FleetRun extends RunSummary {
  readonly place: RunPlace | null;
}

export interface RunPlace {
  readonly pool: string;
  readonly account: string | null;
  /** The machine that has its files and conversations; null before the first claim. */
  readonly home: string | null;
  readonly workspace: string;
  /** The only machine that may claim it, set by the user; null: any of the pool. */
  readonly pinned: string | null;
  /** The absent machine that alone can resume it; null: it waits for none. */
  readonly waitsFor: string | null;
  /** Why no worker claims it; null if it was not set aside. */
  readonly setAside: string | null;
}

/** The part of a run that shows whether to read more. */
export interface FleetGlance {
  readonly holder: LockHolder | null;
  /** A worker is about to claim it. */
  readonly isExpected: boolean;
  readonly place: RunPlace | null;
  /** Changes with everything that is shown, except the event log. */
  readonly signature: string;
}

export interface FleetMachine {
  readonly id: string;
  readonly lives: boolean;
  /** It claims no more runs. */
  readonly draining: boolean;
  /** Why its client cannot answer prompts, by account; the empty name is the login of its worker. */
  readonly clientProblems: Readonly<Record<string, string>>;
  /** Null if unknown. */
  readonly heartbeatAt: Date | null;
  readonly pools: readonly string[];
  readonly accounts: readonly string[];
  readonly slots: number;
  readonly activeRuns: number;
  /** Unfinished runs whose home it is. */
  readonly runs: number;
  readonly version: string;
}

/** A limit of null is no limit. */
export interface FleetAccount {
  readonly name: string;
  readonly machines: readonly string[];
  readonly limits: {
    readonly runs: number | null;
    readonly rate: { readonly runs: number; readonly ms: number } | null;
    readonly slots: number | null;
    readonly perDayMicroUsd: MicroUsd | null;
  };
  readonly runs: number;
  /** Runs started within the interval of its rate limit. */
  readonly started: number;
  /** Clients in progress. */
  readonly slots: number;
  readonly todayMicroUsd: MicroUsd;
  /** Number of runs and steps that wait for a limit. `waiters`: the first of these runs. */
  readonly waiting: number;
  readonly waiters: readonly RunId[];
  readonly cooldown: { readonly until: Date; readonly message: string } | null;
}

export interface FleetSchedule {
  readonly name: string;
  readonly cron: string;
  readonly zone: string;
  readonly next: Date;
  readonly paused: boolean;
  readonly workflow: string;
  readonly lastRun: RunId | null;
  readonly lastAt: Date | null;
  readonly createdAt: Date;
}

/** Queued runs that the same workers may claim. */
export interface FleetQueue {
  /** The only machine that may claim them; null: any of the pool with the account. */
  readonly machine: string | null;
  readonly pool: string;
  readonly account: string | null;
  readonly runs: number;
  /** Number of runs with a later start time. */
  readonly later: number;
  /** The first submitted run. */
  readonly first: RunId;
  readonly served: boolean;
  /** All live workers that may claim them are drained. */
  readonly drained: boolean;
  /** All live workers that may claim them lack a working client. */
  readonly lacksClient: boolean;
}

export interface BoardSubmit {
  readonly workflow: string;
  readonly input: string | undefined;
  readonly budgetMicroUsd: MicroUsd | undefined;
  readonly simulate: boolean | undefined;
  /** Undefined: the default pool. */
  readonly pool: string | undefined;
  /** Undefined: the account of the worker. */
  readonly account: string | undefined;
}
