import type { Clock } from "../../../src/engine/ports/clock.ts";

/** `<epoch ms> <factor>`: clocks of all processes run faster from this time on. */
export const CLOCK_VARIABLE = "RAYMOND_CHAOS_CLOCK";

/** The system clock, or the faster one of the environment. */
export function fastClock(real: Clock, asked: string | undefined): Clock {
  if (asked === undefined) return real;
  const [from = 0, speed = 1] = asked.split(" ").map(Number);
  if (speed === 1) return real;
  return {
    now: () => Math.round(from + (real.now() - from) * speed),
    elapsed: () => real.elapsed() * speed,
    sleep: (ms, signal) => real.sleep(ms / speed, signal),
  };
}
