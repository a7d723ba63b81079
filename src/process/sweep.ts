import { processTable } from "./platform-table.ts";
import { pause } from "./settles-within.ts";
import { familyOf, type ProcessRow } from "./table.ts";

/** A process that a run has left behind. */
export interface FoundProcess {
  readonly pid: number;
  /** When it started: a later process with the same pid is another one, and is left alone. */
  readonly startTicks: string;
  /** Its command line, for people. */
  readonly command: string;
}

/**
 * The living processes whose token begins with `tokenPrefix`, and all that
 * descend from them. The token of a step is `<run token>.<process number>`, so
 * `<run token>.` finds all of a run. This process is never among them. Linux
 * by `/proc`, macOS by `ps` as far as it shows environments, Windows by `groups` alone.
 * Where none of them can be older than a process, its pid as the `elder` saves
 * most of the work. Those of `groups` count as well (`step-groups.ts`).
 */
export function findProcesses(
  tokenPrefix: string,
  platform: NodeJS.Platform = process.platform,
  elder: number | null = null,
  groups: readonly number[] = [],
): Promise<readonly FoundProcess[]> {
  const isRoot = ({ token, group }: ProcessRow) =>
    (token?.startsWith(tokenPrefix) ?? false) || groups.includes(group);
  return seesNone(platform, groups) ? Promise.resolve([]) : find(isRoot, platform, elder);
}

/** The same for one step: those that carry exactly this token, or are of its process group, if it is known. */
export function findStepProcesses(
  token: string,
  group: number | null,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly FoundProcess[]> {
  if (seesNone(platform, group === null ? [] : [group])) return Promise.resolve([]);
  return find((row) => row.token === token || row.group === group, platform, process.pid);
}

/** Without a group there is nothing to find on Windows, and the look there takes long. */
function seesNone(platform: NodeJS.Platform, groups: readonly number[]): boolean {
  return platform === "win32" && groups.length === 0;
}

async function find(
  isRoot: (row: ProcessRow) => boolean,
  platform: NodeJS.Platform,
  elder: number | null,
): Promise<readonly FoundProcess[]> {
  const table = processTable(platform);
  return familyOf(await table.rows(elder), isRoot, process.pid).map((row) => ({
    pid: row.pid,
    startTicks: row.startTicks,
    command: table.commandLine(row),
  }));
}

/** How much time processes are given to end. */
export interface Grace {
  /** Between SIGTERM and SIGKILL, ms; with 0 there is no SIGTERM. */
  readonly graceMs: number;
  /** Ends the grace early. */
  readonly hurry?: AbortSignal;
}

/**
 * Ends processes: SIGTERM, a grace, SIGKILL, and up to two seconds for the
 * kernel to comply. Returns at once when all are dead. Never signals a process
 * whose start time is not the one found. Returns those that still live.
 */
export async function endProcesses(
  found: readonly FoundProcess[],
  { graceMs, hurry }: Grace,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly FoundProcess[]> {
  let left = await alive(found, platform);
  if (graceMs > 0 && hurry?.aborted !== true) {
    signalAll(left, "SIGTERM");
    left = await waitForDeath(left, graceMs, platform, hurry);
  }
  signalAll(left, "SIGKILL");
  return waitForDeath(left, KILL_MS, platform);
}

const KILL_MS = 2_000;
const LONGEST_POLL_MS = 100;

async function waitForDeath(
  found: readonly FoundProcess[],
  ms: number,
  platform: NodeJS.Platform,
  hurry?: AbortSignal,
): Promise<readonly FoundProcess[]> {
  const until = performance.now() + ms;
  let left = await alive(found, platform);
  for (let poll = 5; left.length > 0; poll = Math.min(poll * 2, LONGEST_POLL_MS)) {
    const remaining = until - performance.now();
    if (remaining <= 0 || hurry?.aborted === true) break;
    await pause(Math.min(poll, remaining), hurry);
    left = await alive(left, platform);
  }
  return left;
}

async function alive(
  found: readonly FoundProcess[],
  platform: NodeJS.Platform,
): Promise<readonly FoundProcess[]> {
  const started = await processTable(platform).startTicks(found.map(({ pid }) => pid));
  return found.filter(({ pid, startTicks }) => started.get(pid) === startTicks);
}

function signalAll(found: readonly FoundProcess[], signal: NodeJS.Signals): void {
  for (const { pid } of found) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone meanwhile, or not ours to end: the next look tells.
    }
  }
}
