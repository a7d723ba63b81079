import { appendFileSync } from "node:fs";
import process from "node:process";

/** Where raymond kills itself: `point`, or `point#n` for its nth hit. */
export const CRASH_AT = "RAYMOND_CRASH_AT";

/** Log file of all points that are reached. */
export const CRASH_LOG = "RAYMOND_CRASH_LOG";

/** Called at a point of a step. Does not return at the configured crash point. */
export type Hit = (point: string) => void;

/** Counts and logs hits, and crashes at the point in the environment; null if none is set. */
export function crashPoints(env: Readonly<Record<string, string | undefined>>): Hit | null {
  const { [CRASH_AT]: wanted, [CRASH_LOG]: log } = env;
  if (wanted === undefined && log === undefined) return null;
  const [point, nth = "1"] = wanted?.split("#") ?? [];
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (log !== undefined) {
      appendFileSync(log, `${String(process.pid)} ${name} ${String(count)}\n`);
    }
    if (name === point && count === Number(nth)) process.kill(process.pid, "SIGKILL");
  };
}

/** A line of the log: the process (from 0), the point, and the number of the hit in that process. */
export interface LoggedHit {
  readonly command: number;
  readonly point: string;
  readonly nth: number;
}

/** Parses the log of {@link crashPoints}. */
export function parseHits(text: string): readonly LoggedHit[] {
  const pids: string[] = [];
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [pid = "", point = "", nth = ""] = line.split(" ");
    if (!pids.includes(pid)) pids.push(pid);
    return { command: pids.indexOf(pid), point, nth: Number(nth) };
  });
}
