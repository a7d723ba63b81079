import { parseDuration } from "../../language/basics/duration.ts";
import type { OutlinedMove } from "../../language/outline/outline.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";

/** What is written at the way of a move: its tag or key, and what of its values tells ways apart. */
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

/** What is written where a time has passed. */
export function afterTime(written: string | undefined): string {
  return written !== undefined && isTime(written) ? `after ${excerpt(written)}` : "too late";
}

/** A time that is written, and none that only a run knows. */
export function isTime(written: string): boolean {
  return parseDuration(written) !== null;
}
