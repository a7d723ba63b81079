import type { Place } from "../../wire/stores.ts";
import type { Credentials } from "../accounts/accounts-file.ts";
import type { AccountName, PoolName } from "../store/rows/placement.ts";
import type { StepUser } from "./step-user.ts";

export interface WorkerOptions extends Place {
  /** The database of the fleet. */
  readonly url: string;
  readonly pools: readonly PoolName[];
  /** Maximum number of concurrent runs. */
  readonly slots: number;
  /** The version of this raymond. */
  readonly version: string;
  /** Default: the id in the machine-id file of the state folder. */
  readonly machine?: string | undefined;
  /** The accounts that this worker serves, with the environment of their client. */
  readonly accounts?: Readonly<Record<AccountName, Credentials>> | undefined;
  /** Default: steps run as the user of the worker. */
  readonly stepUser?: StepUser | undefined;
  /** Lease duration, ms. */
  readonly ttlMs?: number | undefined;
  /** Poll interval of the queues, ms. */
  readonly pollMs?: number | undefined;
  /** Called once when the worker is ready to claim runs. */
  readonly onReady?: ((machine: string) => void) | undefined;
  readonly log: (line: string) => void;
  /** Aborts to shut the worker down. Its runs stay assigned to its machine. */
  readonly signal: AbortSignal;
}
