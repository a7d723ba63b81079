import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { steadyClock } from "../../src/engine/steady-clock.ts";
import { SimulatedClock } from "../support/clock.ts";

const DAY = 86_400_000;

describe("a steady clock", () => {
  it("advances when the wall clock is set back, and follows it once that has caught up", () => {
    const wall = new SimulatedClock();
    const steady = steadyClock(wall);
    const begin = steady.now();

    wall.set(-DAY);
    wall.advance(5_000);
    expect(steady.now()).toBe(begin + 5_000);
    wall.advance(DAY);
    expect(steady.now()).toBe(begin + DAY + 5_000);
    wall.set(2 * DAY);
    expect(steady.now()).toBe(wall.now());
  });

  it("never goes back, stops or lags behind the wall clock", () => {
    const move = fc.record({ set: fc.integer({ min: -DAY, max: DAY }), pass: fc.nat(100_000) });
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        const wall = new SimulatedClock();
        const steady = steadyClock(wall);
        for (const { set, pass } of moves) {
          const before = steady.now();
          wall.set(set);
          wall.advance(pass);
          const now = steady.now();
          expect(now).toBeGreaterThanOrEqual(before + pass);
          expect(now).toBeGreaterThanOrEqual(wall.now());
        }
      }),
    );
  });
});
