import type { Wait } from "./run-state.ts";

/**
 * Whether a wait is over at this moment, epoch ms: its end has come, or the
 * clock shows a time well before its beginning. Then somebody has set it back,
 * and nobody can say how long is left; one try costs nothing.
 */
export function isOver({ until, since }: Wait, now: number): boolean {
  return until <= now || now < since - CLOCKS_DIFFER_MS;
}

/** So far apart may two machines be that go on with the same run, ms. */
const CLOCKS_DIFFER_MS = 5 * 60_000;
