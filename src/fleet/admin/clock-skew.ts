import { type Check, failure, ok, warning } from "../../inspect/check.ts";

/** `ms`: how far this clock is ahead of that of the database. */
export function checkSkew(ms: number): Check {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 5) return ok("skew", "the clocks of this machine and the database agree");
  const text = `The clock of this machine is ${String(seconds)} s ${ms > 0 ? "ahead of" : "behind"} the clock of the database.`;
  const hint = "Synchronize both with NTP: waits of runs on this machine follow its clock.";
  return seconds < 60 ? warning("skew", text, hint) : failure("skew", text, hint);
}
