import type { Clock } from "./ports/clock.ts";

/**
 * A clock that never goes back. Otherwise a pause of seconds could become one of a day, and later
 * events could get earlier times. When the wall clock is set back, this clock advances at normal
 * pace until the wall clock has caught up. It follows a forward change at once.
 */
export function steadyClock(clock: Clock): Clock {
  let shown = clock.now();
  let readAt = clock.elapsed();
  return {
    ...clock,
    now: () => {
      const elapsed = clock.elapsed();
      shown = Math.max(clock.now(), shown + (elapsed - readAt));
      readAt = elapsed;
      return Math.floor(shown);
    },
  };
}
