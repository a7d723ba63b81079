import type { Clock } from "../ports/clock.ts";

/**
 * A clock that is never set back, as a run needs one: a pause of seconds must
 * not become one of a day, and what happens later must not have happened
 * earlier. Where the wall clock is set back this one goes on at the pace of
 * time, until the wall clock is past it; set forward, it follows at once.
 */
export function steadyClock(clock: Clock): Clock {
  let shown = clock.now();
  let lookedAt = clock.elapsed();
  return {
    ...clock,
    now: () => {
      const elapsed = clock.elapsed();
      shown = Math.max(clock.now(), shown + (elapsed - lookedAt));
      lookedAt = elapsed;
      return Math.floor(shown);
    },
  };
}
