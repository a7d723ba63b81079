import { parseDuration } from "../../language/basics/duration.ts";
import type { OutlinedMove } from "../../language/outline/outline.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";

/** The label of a move: its tag or key, with the values that distinguish moves. */
export function labelOf({ by, values }: OutlinedMove): string {
  const { delay, min, payload } = values;
  const isAnswer = payload !== undefined && /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,19}$/u.test(payload);
  return [
    by,
    ...(delay === undefined ? [] : [isTime(delay) ? `in ${excerpt(delay)}` : "later"]),
    ...(min === undefined ? [] : [`of ${min}`]),
    ...(isAnswer ? [payload] : []),
  ].join(" ");
}

export function afterTime(written: string | undefined): string {
  return written !== undefined && isTime(written) ? `after ${excerpt(written)}` : "too late";
}

/** Whether a duration is literal, not known only at run time. */
export function isTime(written: string): boolean {
  return parseDuration(written) !== null;
}
