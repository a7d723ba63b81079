import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../../src/engine/ports/clock.ts";
import { steadyClock } from "../../src/engine/steady-clock.ts";
import { systemClock, thisSystem } from "../../src/wire/system/system.ts";
import { fastClock } from "../chaos/time/fast-clock.ts";
import { CLOCK_FILE, movedClock } from "../chaos/time/moved-clock.ts";
import { handClock } from "../clients/common/hand-clock.ts";
import { type ClockCase, describeClock } from "../contracts/clock.ts";
import { ModelClock } from "../model/schedule.ts";
import { SimulatedClock } from "../support/clock.ts";
import { tempFolder } from "../support/folders.ts";

/** A clock whose time passes by itself. */
function real(clock: Clock): ClockCase {
  return { clock, pass: (ms) => clock.sleep(ms, new AbortController().signal) };
}

/** One that a test moves; what it wakes has its turn. */
function moved(clock: Clock, move: (ms: number) => void): ClockCase {
  const pass = async (ms: number) => {
    move(ms);
    await new Promise(setImmediate);
  };
  return { clock, pass };
}

describeClock("the machine's", () => real(systemClock));

describeClock("a steady one", () => {
  const wall = new SimulatedClock();
  return moved(steadyClock(wall), (ms) => {
    wall.advance(ms);
  });
});

describeClock("the simulated one", () => {
  const clock = new SimulatedClock();
  return moved(clock, (ms) => {
    clock.advance(ms);
  });
});

describeClock("the one of the model", () => {
  const clock = new ModelClock(0);
  return moved(clock, (ms) => {
    // It moves to the next who wakes.
    void clock.sleep(ms, new AbortController().signal);
    clock.advance(0);
  });
});

describeClock("the one of the client's tests", () => {
  const clock = handClock();
  return { clock, pass: (ms) => clock.advance(ms) };
});

describeClock("one of which all processes have the same pace", () => {
  return real(fastClock(systemClock, `${String(Date.now())} 2`));
});

describeClock("a clock that is set by hand", async () => {
  const file = path.join(await tempFolder(), "clock");
  await writeFile(file, "-5000");
  const world = { now: systemClock.now, system: () => Promise.resolve(thisSystem) };
  const { clock } = await movedClock(world, { [CLOCK_FILE]: file }).system();
  return real(clock);
});
