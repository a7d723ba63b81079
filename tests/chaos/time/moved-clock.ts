import { readFileSync } from "node:fs";
import type { World } from "../../../src/cli/parse/command-line.ts";
import type { System } from "../../../src/wire/system/system.ts";

/** Names a file that says by how much the wall clock of the test entry is off, ms; none: not at all. */
export const CLOCK_FILE = "RAYMOND_TEST_CLOCK";

/** Poll interval for changes of the clock, ms. */
const LOOK_MS = 50;

/**
 * A system whose wall clock has the offset in a file, so that tests can set it while raymond is running. Timers are
 * checked when the clock changes, so that tests need not wait for the next check.
 */
export function movedClock(world: World, env: NodeJS.ProcessEnv): World {
  const file = env[CLOCK_FILE];
  if (file === undefined) return world;
  const now = () => world.now() + offset(file);
  return {
    now,
    system: async (): Promise<System> => {
      const system = await world.system();
      return { ...system, clock: { ...system.clock, now, sleep: sleeper(system, file) } };
    },
  };
}

function sleeper({ clock }: System, file: string): System["clock"]["sleep"] {
  return async (ms, signal) => {
    const end = clock.elapsed() + ms;
    const before = offset(file);
    while (!signal.aborted && clock.elapsed() < end && offset(file) === before) {
      await clock.sleep(Math.min(LOOK_MS, end - clock.elapsed()), signal);
    }
  };
}

function offset(file: string): number {
  return Number(readFileSync(file, "utf8"));
}
