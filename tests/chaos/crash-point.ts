import { appendFileSync } from "node:fs";
import process from "node:process";

/** Where raymond shall kill itself: `point`, or `point#n` for its nth hit. */
export const CRASH_AT = "RAYMOND_CRASH_AT";

/** A file that is told of every point as it is reached. */
export const CRASH_LOG = "RAYMOND_CRASH_LOG";

/** Called at a point of a step's life; does not return where the crash is wanted. */
export type Hit = (point: string) => void;

/** Counts hits, tells them, and crashes as the environment wants; null where it wants nothing. */
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

/** One line of the log: in which process, from 0, a point was hit, and for which time there. */
export interface LoggedHit {
  readonly command: number;
  readonly point: string;
  readonly nth: number;
}

/** Reads what {@link crashPoints} has written to its log. */
export function parseHits(text: string): readonly LoggedHit[] {
  const pids: string[] = [];
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [pid = "", point = "", nth = ""] = line.split(" ");
    if (!pids.includes(pid)) pids.push(pid);
    return { command: pids.indexOf(pid), point, nth: Number(nth) };
  });
}
