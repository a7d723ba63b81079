import type { Wait } from "../model/run-state.ts";

/** Whether a wait is over: its end has passed, or the clock was set back to before its start. `now`: epoch ms. */
export function isWaitOver({ until, since }: Wait, now: number): boolean {
  return until <= now || now < since - CLOCKS_DIFFER_MS;
}

/** Tolerated clock difference between machines that resume the same run, ms. */
const CLOCKS_DIFFER_MS = 5 * 60_000;
