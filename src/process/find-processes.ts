import type { OrphanProcess } from "../engine/ports/orphans.ts";
import { familyOf, type ProcessTable } from "./platform/table.ts";
import { pause } from "./settles-within.ts";
import { isWithinEpoch } from "./step-records.ts";

export interface FoundProcess extends OrphanProcess {
  /** Distinguishes the process from a later one with the same pid. */
  readonly startTicks: string;
}

export interface ProcessFilter {
  /** Pid of a process that is older than all wanted ones, which saves most of the work. */
  readonly oldest?: number | null;
  readonly groups?: readonly number[];
  /**
   * Exclude steps of newer claims of the run (`stepToken` in ports/orphans.ts); null: include all.
   */
  readonly epoch?: number | null;
}

/**
 * The living processes whose token begins with `tokenPrefix`, the members of process groups that they
 * lead, and all their descendants, except for this process. All step tokens of a run begin with `<run token>.`. Uses `/proc` on Linux, `ps` on
 * macOS as far as it shows environments, and only `groups` on Windows.
 */
export function findProcesses(
  table: ProcessTable,
  tokenPrefix: string,
  { oldest = null, groups = [], epoch = null }: ProcessFilter = {},
): Promise<readonly FoundProcess[]> {
  const isOurs = (token: string) =>
    token.startsWith(tokenPrefix) && isWithinEpoch(epoch, token.slice(tokenPrefix.length));
  return find(table, isOurs, groups, oldest);
}

/**
 * Like {@link findProcesses} for one step: processes with exactly this token, or in its process
 * group, and their descendants.
 */
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
  oldest: number | null,
): Promise<readonly FoundProcess[]> {
  if (!table.showsTokens && groups.length === 0) return [];
  const rows = await table.rows(oldest);
  const marked = rows.filter(({ token }) => token !== null && isOurs(token));
  const wanted = new Set([...groups, ...marked.map(({ pid }) => pid)]);
  const roots = new Set([...marked, ...rows.filter(({ group }) => wanted.has(group))]);
  return familyOf(rows, (row) => roots.has(row), process.pid).map((row) => ({
    pid: row.pid,
    startTicks: row.startTicks,
    command: table.commandLine(row),
  }));
}

/** Time for processes to end. */
export interface Grace {
  /** Between SIGTERM and SIGKILL, ms; 0 skips SIGTERM. */
  readonly graceMs: number;
  /** Cuts the time short. */
  readonly hurry?: AbortSignal;
}

/**
 * Ends processes: SIGTERM, a pause, SIGKILL, and up to two seconds for the kernel. Returns as soon
 * as all are dead. Never signals a process with another start time. Returns the survivors.
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
      // Already gone, or not permitted: the next check shows which.
    }
  }
}
