import { realpathSync } from "node:fs";
import type { RunId } from "../machine/model/run-state.ts";
import type { RunSource } from "./run-source.ts";
import { systemActor } from "./system/actor.ts";
import type { LocalCaller } from "./system/system.ts";

export interface Caller extends LocalCaller {
  /** The runs of a fleet, instead of those of a state folder. */
  readonly fleet?: FleetRuns | undefined;
}

export interface FleetRuns {
  readonly store: RunSource;
  /** The name of the fleet, for people. */
  readonly shown: string;
  /** Ids of runs with this id, prefix or tail, or the latest run for `latest`. */
  readonly named: (wanted: string) => Promise<readonly RunId[]>;
  last(): Promise<readonly RunId[]>;
}

/** This process, with `given` in its place. Throws if the folder does not exist. */
export function thisProcess(given: Partial<Caller> = {}): Caller {
  const env = given.env ?? process.env;
  return {
    env,
    actor: () => systemActor(env),
    now: () => Date.now(),
    system: async () => (await import("./system/system.ts")).thisSystem,
    ...given,
    cwd: realpathSync(given.cwd ?? process.cwd()),
  };
}
