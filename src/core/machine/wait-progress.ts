import type { Event } from "./event.ts";
import type { RunState } from "./run-state.ts";
import { isOver } from "./wait-end.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What is left of a wait when it is worth a word, besides every full hour, ms. */
const MARKS = [30 * MINUTE, 15 * MINUTE, 5 * MINUTE, MINUTE] as const;

/**
 * What there is to tell of a wait that goes on: an event at every full hour
 * that is left, and at 30, 15, 5 and 1 minutes, as soon as somebody looks; also
 * when nobody has looked yet (`lookedAt` is null), for then a resumed run goes
 * on to wait. A wait that has only begun was told by `run.waiting`. `now` and
 * `lookedAt` are epoch ms.
 */
export function waitProgress(
  before: RunState,
  after: RunState,
  lookedAt: number | null,
  now: number,
): readonly Event[] {
  const { wait } = after;
  if (wait === null || after.stopReason !== null || isOver(wait, now)) return [];
  if (before.wait?.until !== wait.until) return [];
  const leftMs = wait.until - now;
  const passed = lookedAt === null || marksAhead(leftMs) < marksAhead(wait.until - lookedAt);
  if (!passed) return [];
  return [{ type: "run.still-waiting", class: wait.class, until: wait.until, leftMs }];
}

/** How many words are still to come, with so much time left. */
function marksAhead(leftMs: number): number {
  return Math.ceil(leftMs / HOUR) - 1 + MARKS.filter((mark) => mark < leftMs).length;
}
