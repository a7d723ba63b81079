import type { RunId } from "../../machine/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import type { AccountSlots } from "../accounts/account-executor.ts";
import type { Credentials } from "../accounts/accounts-file.ts";
import type { Clones } from "../git/clones.ts";
import type { Database } from "../store/database.ts";
import type { AccountName, MachineId } from "../store/rows/placement.ts";
import type { PostgresStore } from "../store/store.ts";
import type { StepUser } from "./step-user.ts";

/** What a worker gives the runs that it goes on with. */
export interface WorkerContext {
  readonly machine: MachineId;
  readonly database: Database;
  readonly store: RunSource & Pick<PostgresStore, "claimQueued">;
  /** Its row of `raymond.holders`. */
  readonly holder: number;
  /** The worker's own folder: copies of workflows, workspaces, conversations that were left behind. */
  readonly folder: string;
  readonly caller: Caller;
  /** The user whom steps run as; null: that of the worker. */
  readonly stepUser: StepUser | null;
  /** The accounts that it has credentials for. */
  readonly accounts: Readonly<Record<AccountName, Credentials>>;
  /** The clones of its git workspaces. */
  readonly clones: Clones;
  readonly accountSlots: AccountSlots;
  readonly clients: { report(account: AccountName | null, problem: string): Promise<void> };
  /** Puts a run into its queue that was requeued for another machine. */
  readonly enqueueMoved: (id: RunId) => Promise<void>;
  /** Whether it was told to end: its runs are left as they are, in good order. */
  readonly isStopping: () => boolean;
}
