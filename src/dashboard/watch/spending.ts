import { parseLogLine } from "../../log/codec/logged-event.ts";

/** Cumulative cost at a time. */
export interface SpentAt {
  /** Epoch ms. */
  readonly at: number;
  readonly totalMicroUsd: number;
}

/** Collects the cumulative cost over time from `step.ended` lines: at most {@link MAX_POINTS} points. */
export function newSpending(): { read(line: string): void; points(): readonly SpentAt[] } {
  let points: SpentAt[] = [];
  let last: SpentAt | null = null;
  /** Steps per point. */
  let every = 1;
  let skipped = 0;
  return {
    read(line) {
      const logged = parseLogLine(line);
      if (logged === null || logged.event.type !== "step.ended") return;
      last = { at: logged.at, totalMicroUsd: logged.event.totalMicroUsd };
      skipped += 1;
      if (skipped < every) return;
      skipped = 0;
      points.push(last);
      if (points.length < MAX_POINTS) return;
      points = points.filter((_, index) => index % 2 === 1);
      every *= 2;
    },
    points: () => (last === null || points.at(-1) === last ? points : [...points, last]),
  };
}

/** More are not visible in the chart. */
const MAX_POINTS = 600;
