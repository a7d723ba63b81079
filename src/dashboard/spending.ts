import { parseLogLine } from "../observers/logged-event.ts";

/** What a run had spent at a moment. */
export interface SpentAt {
  /** Epoch ms. */
  readonly at: number;
  readonly totalMicroUsd: number;
}

/** Gathers what was spent when, from the lines of steps that have ended. Never more than {@link MOST} points. */
export function newSpending(): { read(line: string): void; told(): readonly SpentAt[] } {
  let points: SpentAt[] = [];
  let last: SpentAt | null = null;
  /** So many steps are one point. */
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
      if (points.length < MOST) return;
      points = points.filter((_, index) => index % 2 === 1);
      every *= 2;
    },
    told: () => (last === null || points.at(-1) === last ? points : [...points, last]),
  };
}

/** More cannot be told apart in a picture. */
const MOST = 600;
