import type { RunId } from "../../machine/model/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import type { AccountSlots } from "../accounts/account-executor.ts";
import type { Credentials } from "../accounts/accounts-file.ts";
import type { Clones } from "../git/clones.ts";
import type { WorkerPolicy } from "../policy/policy-file.ts";
import type { Database } from "../store/database.ts";
import type { AccountName, MachineId } from "../store/rows/placement.ts";
import type { PostgresStore } from "../store/store.ts";
import type { StepUser } from "./step-user.ts";

/** The parts of a worker that its runs use. */
export interface WorkerContext {
  readonly machine: MachineId;
  readonly database: Database;
  readonly store: RunSource & Pick<PostgresStore, "claimQueued">;
  /** Its row of `raymond.holders`. */
  readonly holder: number;
  /** The worker's own folder: copies of workflows, workspaces, discarded conversations. */
  readonly folder: string;
  readonly caller: Caller;
  /** The user that steps run as; null: that of the worker. */
  readonly stepUser: StepUser | null;
  /** What it may run; null: everything. */
  readonly policy: WorkerPolicy | null;
  readonly accounts: Readonly<Record<AccountName, Credentials>>;
  readonly clones: Clones;
  readonly accountSlots: AccountSlots;
  readonly clients: {
    report(account: AccountName | null, agent: string, problem: string): Promise<void>;
  };
  /** Enqueues a run whose move has released it from this worker. */
  readonly enqueueMoved: (id: RunId) => Promise<void>;
  /** Whether the worker shuts down without having lost its lease. */
  readonly isStopping: () => boolean;
}
