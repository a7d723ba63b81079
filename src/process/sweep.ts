import type { Leftover } from "../ports/leftovers.ts";
import { pause } from "./settles-within.ts";
import { isUpTo } from "./step-records.ts";
import { familyOf, type ProcessRow, type ProcessTable } from "./table.ts";

/** A leftover, known beyond its pid. */
export interface FoundProcess extends Leftover {
  /** When it started: a later process with the same pid is another one, and is left alone. */
  readonly startTicks: string;
}

/** What else is known of the processes that are looked for. */
export interface Hints {
  /** Where none of them can be older than a process, its pid: that saves most of the work. */
  readonly elder?: number | null;
  /** Those of these process groups count as well. */
  readonly groups?: readonly number[];
  /** No steps of a newer claim of the run than this (`stepToken` in ports/leftovers.ts); null: of any. */
  readonly epoch?: number | null;
}

/**
 * The living processes whose token begins with `tokenPrefix`, and all that
 * descend from them. The token of a step begins with `<run token>.`, so that finds all of a run. This process is never among them. Linux
 * by `/proc`, macOS by `ps` as far as it shows environments, Windows by `groups` alone.
 */
export function findProcesses(
  table: ProcessTable,
  tokenPrefix: string,
  { elder = null, groups = [], epoch = null }: Hints = {},
): Promise<readonly FoundProcess[]> {
  const isOurs = (token: string) =>
    token.startsWith(tokenPrefix) && isUpTo(epoch, token.slice(tokenPrefix.length));
  return find(table, isOurs, groups, elder);
}

/** The same for one step: those that carry exactly this token, or are of its process group, if it is known. */
export function findStepProcesses(
  table: ProcessTable,
  token: string,
  group: number | null,
): Promise<readonly FoundProcess[]> {
  return find(table, (other) => other === token, group === null ? [] : [group], process.pid);
}

async function find(
  table: ProcessTable,
  isOurs: (token: string) => boolean,
  groups: readonly number[],
  elder: number | null,
): Promise<readonly FoundProcess[]> {
  if (!table.showsTokens && groups.length === 0) return [];
  const isRoot = ({ token, group }: ProcessRow) =>
    (token !== null && isOurs(token)) || groups.includes(group);
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
  table: ProcessTable,
  found: readonly FoundProcess[],
  { graceMs, hurry }: Grace,
): Promise<readonly FoundProcess[]> {
  let left = await alive(table, found);
  if (graceMs > 0 && hurry?.aborted !== true) {
    signalAll(left, "SIGTERM");
    left = await waitForDeath(table, left, graceMs, hurry);
  }
  signalAll(left, "SIGKILL");
  return waitForDeath(table, left, KILL_MS);
}

const KILL_MS = 2_000;
const LONGEST_POLL_MS = 100;

async function waitForDeath(
  table: ProcessTable,
  found: readonly FoundProcess[],
  ms: number,
  hurry?: AbortSignal,
): Promise<readonly FoundProcess[]> {
  const until = performance.now() + ms;
  let left = await alive(table, found);
  for (let poll = 5; left.length > 0; poll = Math.min(poll * 2, LONGEST_POLL_MS)) {
    const remaining = until - performance.now();
    if (remaining <= 0 || hurry?.aborted === true) break;
    await pause(Math.min(poll, remaining), hurry);
    left = await alive(table, left);
  }
  return left;
}

async function alive(
  table: ProcessTable,
  found: readonly FoundProcess[],
): Promise<readonly FoundProcess[]> {
  const started = await table.startTicks(found.map(({ pid }) => pid));
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
