/** Until one of so many that wait on this machine asks again, ms: many ask no more often than a few. */
export function pauseFor(waiting: number, dice: () => number): number {
  return LOOK_MS * (0.5 + dice()) * Math.max(1, waiting / AT_ONCE);
}

const LOOK_MS = 1_000;
const AT_ONCE = 10;
