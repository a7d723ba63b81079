import { formatDuration } from "../../../language/basics/duration.ts";

/** How long something has been running, in whole seconds; empty in the first one. Epoch ms. */
export function elapsed(since: number, now: number): string {
  const seconds = Math.floor((now - since) / 1_000);
  return seconds < 1 ? "" : formatDuration(seconds * 1_000);
}
