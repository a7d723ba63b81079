import type { Clock } from "../../src/ports/clock.ts";

/** `<epoch ms> <factor>`: since then a clock runs so much faster, the same in every process. */
export const CLOCK_VARIABLE = "RAYMOND_CHAOS_CLOCK";

/** The clock that the environment asks for: the machine's, or a faster one. */
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
