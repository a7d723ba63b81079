import { commandLine } from "../../src/cli/parse/command-line.ts";
import { thisSystem } from "../../src/wire/system/system.ts";
import { crashPoints } from "./crash-point.ts";
import { withCrashPoints } from "./crash-system.ts";
import { CLOCK_VARIABLE, fastClock } from "./fast-clock.ts";
import { faultDisk } from "./fault-disk.ts";
import { movedClock } from "./moved-clock.ts";

const clock = fastClock(thisSystem.clock, process.env[CLOCK_VARIABLE]);
const disk = faultDisk(thisSystem.disk, process.env);
const calm = { ...thisSystem, clock, disk };
const hit = crashPoints(process.env);
const system = hit === null ? calm : withCrashPoints(calm, hit);
const world = { now: clock.now, system: () => Promise.resolve(system) };

void commandLine(movedClock(world, process.env));
