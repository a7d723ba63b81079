import { commandLine } from "../../src/cli/command-line.ts";
import { thisSystem } from "../../src/cli/system.ts";
import { CLOCK_VARIABLE, fastClock } from "./fast-clock.ts";
import { movedClock } from "./moved-clock.ts";

const clock = fastClock(thisSystem.clock, process.env[CLOCK_VARIABLE]);
const world = { now: clock.now, system: () => Promise.resolve({ ...thisSystem, clock }) };

await commandLine(movedClock(world, process.env));
