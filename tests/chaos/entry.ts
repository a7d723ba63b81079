import { commandLine } from "../../src/cli/command-line.ts";
import { thisSystem } from "../../src/cli/system.ts";
import { CLOCK_VARIABLE, fastClock } from "./fast-clock.ts";

const clock = fastClock(thisSystem.clock, process.env[CLOCK_VARIABLE]);

await commandLine({ now: clock.now, system: () => Promise.resolve({ ...thisSystem, clock }) });
