import type { RunId } from "../machine/run-state.ts";

/**
 * Files and refs of fleet runs outside the database: in the folder of a worker on this machine, and
 * as refs in the remote repositories of git workspaces. Deleted with the runs.
 */
export interface FleetRemains {
  /** By run; empty where no worker of this fleet alone has the folder. */
  readonly here: ReadonlyMap<RunId, RemainsHere>;
  readonly remotes: readonly RemoteRemains[];
}

/** What a worker of this machine has of a run: its log, what it has debugged, the folder of its own that it worked in. */
export interface RemainsHere {
  readonly bytes: number;
  /** The fleet has such a run. */
  readonly isKnown: boolean;
  /** Deletes it, unless the fleet has such a run, or has one again. */
  remove(): Promise<void>;
}

/** The refs of runs at one remote. */
export interface RemoteRemains {
  readonly repository: string;
  /** How many there are, by run. */
  readonly refs: ReadonlyMap<RunId, number>;
  /** Why the remote could not be read; null if it could. */
  readonly trouble: string | null;
  /** Deletes those of these runs, as they were when they were looked for. Resolves with why it could not; null where it could. */
  remove(runs: readonly RunId[]): Promise<string | null>;
  /** What a person can type for that. */
  command(runs: readonly RunId[]): string;
}
