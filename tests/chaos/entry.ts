import { commandLine } from "../../src/cli/parse/command-line.ts";
import { thisSystem } from "../../src/wire/system/system.ts";
import { crashPoints } from "./crash/crash-point.ts";
import { withCrashPoints } from "./crash/crash-system.ts";
import { faultDisk } from "./faults/fault-disk.ts";
import { CLOCK_VARIABLE, fastClock } from "./time/fast-clock.ts";
import { movedClock } from "./time/moved-clock.ts";

const clock = fastClock(thisSystem.clock, process.env[CLOCK_VARIABLE]);
const disk = faultDisk(thisSystem.disk, process.env);
const calm = { ...thisSystem, clock, disk };
const hit = crashPoints(process.env);
const system = hit === null ? calm : withCrashPoints(calm, hit);
const world = { now: clock.now, system: () => Promise.resolve(system) };

void commandLine(movedClock(world, process.env));
