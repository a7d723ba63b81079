import type { RunId, RunStatus } from "../core/machine/run-state.ts";
import type { LockHolder, RunSummary } from "../ports/store.ts";
import type { Caller, FleetRuns } from "./caller.ts";

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
  /** Puts a run that has stopped into its queue again. */
  resume(
    wanted: { readonly run: RunId; readonly addBudgetMicroUsd: number | undefined },
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
