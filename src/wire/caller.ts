import { realpathSync } from "node:fs";
import type { RunId, RunState } from "../machine/run-state.ts";
import type { FleetRemains } from "./fleet-remains.ts";
import type { RunSource } from "./run-source.ts";
import type { System } from "./system/system.ts";

/** The caller of a use case. */
export interface Caller {
  /** Absolute, links resolved: the launch folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Loaded on first use: commands that only read runs start nothing. */
  readonly system: () => Promise<System>;
  /** Where the runs are that are meant, where that is no folder of this machine. */
  readonly fleet?: FleetRuns | undefined;
}

/** The runs of a fleet. */
export interface FleetRuns {
  readonly store: RunSource;
  /** Where they are, for people. */
  readonly shown: string;
  /** Ids of runs that this may name: the id, how it begins, its tail, or `latest`. */
  named(wanted: string): Promise<readonly RunId[]>;
  /** Ids of those that began last: some. */
  last(): Promise<readonly RunId[]>;
  /** A copy of its workflow as it was submitted, on this machine; null where there is none. */
  workflowOf(run: RunState): Promise<CopiedWorkflow | null>;
  /**
   * Files and refs of these runs outside the database. `folder`: state folder of a worker on this
   * machine.
   */
  remains(runs: readonly RunId[], folder: string, caller: Caller): Promise<FleetRemains>;
}

/** A copy of a workflow, for readers on this machine. */
export interface CopiedWorkflow {
  /** What was named. */
  readonly path: string;
  /** The folder that holds its states. */
  readonly scopeDir: string;
}

/** This process, but for what is given; a folder may be relative to the current one. Throws where that is not there. */
export function thisProcess(given: Partial<Caller> = {}): Caller {
  return {
    env: process.env,
    now: () => Date.now(),
    system: async () => (await import("./system/system.ts")).thisSystem,
    ...given,
    cwd: realpathSync(given.cwd ?? process.cwd()),
  };
}
