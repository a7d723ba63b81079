import { type BackendWait, ofBackend, waitsByBackend } from "../backends/backend-waits.ts";
import { isWaitOver } from "../backends/wait-over.ts";
import type { Event } from "../model/event.ts";
import type { RunState } from "../model/run-state.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Remaining times that are reported in addition to full hours, ms. */
const MARKS = [30 * MINUTE, 15 * MINUTE, 5 * MINUTE, MINUTE] as const;

/**
 * Progress events of waits: at every full remaining hour, and at 30, 15, 5 and 1 minutes; also at the
 * first poll of a resumed run (`lookedAt` is null). `run.waiting` reports a new wait. Times in epoch ms.
 */
export function waitProgress(
  before: RunState,
  after: RunState,
  lookedAt: number | null,
  now: number,
): readonly Event[] {
  if (after.stopReason !== null) return [];
  return waitsByBackend(after).flatMap((one) => progressOf(one, before, lookedAt, now));
}

function progressOf(
  { backend, wait }: BackendWait,
  before: RunState,
  lookedAt: number | null,
  now: number,
): readonly Event[] {
  if (isWaitOver(wait, now)) return [];
  if (before.waits[backend]?.until !== wait.until) return [];
  const leftMs = wait.until - now;
  const passed = lookedAt === null || marksAhead(leftMs) < marksAhead(wait.until - lookedAt);
  if (!passed) return [];
  const event = { class: wait.class, until: wait.until, leftMs };
  return [{ type: "run.still-waiting", ...event, ...ofBackend(before, backend) }];
}

/** Reports still to come. */
function marksAhead(leftMs: number): number {
  return Math.ceil(leftMs / HOUR) - 1 + MARKS.filter((mark) => mark < leftMs).length;
}
