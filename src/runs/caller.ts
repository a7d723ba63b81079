import { realpathSync } from "node:fs";
import type { System } from "./wire/system.ts";

/** Whoever calls a use case: from which folder, with which environment, on which machine. */
export interface Caller {
  /** Absolute, links resolved: the launch folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Loaded when it is wanted: what only looks at runs starts nothing. */
  readonly system: () => Promise<System>;
}

/** This process, but for what is given; a folder may be relative to the current one. Throws where that is not there. */
export function thisProcess(given: Partial<Caller> = {}): Caller {
  return {
    env: process.env,
    now: () => Date.now(),
    system: async () => (await import("./wire/system.ts")).thisSystem,
    ...given,
    cwd: realpathSync(given.cwd ?? process.cwd()),
  };
}
