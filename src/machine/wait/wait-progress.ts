import type { Event } from "../event.ts";
import type { RunState } from "../run-state.ts";
import { isWaitOver } from "./wait.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Remaining times that are reported in addition to full hours, ms. */
const MARKS = [30 * MINUTE, 15 * MINUTE, 5 * MINUTE, MINUTE] as const;

/**
 * Progress events of a wait: at every full remaining hour, and at 30, 15, 5 and 1 minutes; also at the
 * first poll of a resumed run (`lookedAt` is null). `run.waiting` reports a new wait. Times in epoch ms.
 */
export function waitProgress(
  before: RunState,
  after: RunState,
  lookedAt: number | null,
  now: number,
): readonly Event[] {
  const { wait } = after;
  if (wait === null || after.stopReason !== null || isWaitOver(wait, now)) return [];
  if (before.wait?.until !== wait.until) return [];
  const leftMs = wait.until - now;
  const passed = lookedAt === null || marksAhead(leftMs) < marksAhead(wait.until - lookedAt);
  if (!passed) return [];
  return [{ type: "run.still-waiting", class: wait.class, until: wait.until, leftMs }];
}

/** Reports still to come. */
function marksAhead(leftMs: number): number {
  return Math.ceil(leftMs / HOUR) - 1 + MARKS.filter((mark) => mark < leftMs).length;
}
