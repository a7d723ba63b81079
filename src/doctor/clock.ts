import { type Check, failure, ok, warning } from "../inspect/check.ts";

export interface ClockReading {
  /** Epoch ms, by the wall clock. */
  readonly wall: number;
  /** Epoch ms, by the monotonic clock since the start of this process. */
  readonly monotonic: number;
}

export function checkClock({ wall, monotonic }: ClockReading): Check {
  const now = new Date(wall);
  const year = now.getUTCFullYear();
  if (Number.isNaN(year) || year < FIRST_YEAR || year > LAST_YEAR) {
    return failure(
      "clock",
      `The clock says that it is ${Number.isNaN(year) ? "no time" : now.toISOString()}.`,
      "Set it: with a wrong date the client trusts no certificate, and waits end at the wrong time.",
    );
  }
  const drift = Math.round(wall - monotonic);
  if (Math.abs(drift) > MAX_DRIFT_MS) {
    return warning(
      "clock",
      `The clock was moved by ${String(drift)} ms while this command ran.`,
      "See to it that one service sets the clock; waits for usage limits go by it.",
    );
  }
  return ok("clock", `${now.toISOString()}, steady`);
}

const FIRST_YEAR = 2025;
const LAST_YEAR = 2099;
const MAX_DRIFT_MS = 2_000;
