import { readFileSync } from "node:fs";
import type { World } from "../../src/cli/command-line.ts";
import type { System } from "../../src/runs/wire/system.ts";

/** Names a file that says by how much the wall clock of the test entry is off, ms; none: not at all. */
export const CLOCK_FILE = "RAYMOND_TEST_CLOCK";

/** How often a sleeper looks whether somebody has set the clock, ms. */
const LOOK_MS = 50;

/**
 * A world whose wall clock somebody may set while raymond runs: it is off by
 * what stands in the file. A sleeper wakes when the clock was set, as it would
 * at its next look: the test does not wait for that.
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
