import type { StartedChild } from "./children/started-child.ts";
import { endProcesses, type FoundProcess, findStepProcesses } from "./find-processes.ts";
import type { ProcessTable } from "./platform/table.ts";
import { settlesWithin } from "./settles-within.ts";

export interface ProcessTree {
  /** Also the process group id on Unix. */
  readonly pid: number;
  readonly token: string;
  /** False as soon as the exit is observed: then the pid is invalid. */
  readonly running: () => boolean;
  readonly exited: Promise<void>;
  readonly signal: StartedChild["signal"];
}

export interface TerminateOptions {
  /** Pause between two signals, ms. */
  readonly rungMs: number;
  /** Skips the pauses: SIGKILL at once. */
  readonly hurry: AbortSignal;
}

/**
 * Ends a process and its descendants (docs/claude.md, "Timeouts"): SIGINT to its
 * group, a pause, SIGTERM, a pause, SIGKILL. Then ends all processes with its token or in its
 * group, and their descendants.
 * L1  No signal is sent to the pid of an ended process: the group is only signalled while its
 *     leader is running, other processes only with their recorded start time.
 * L2  The tree is listed before every signal: a child without the token that loses its parent could
 *     not be found afterwards.
 */
export async function terminate(
  tree: ProcessTree,
  table: ProcessTable,
  options: TerminateOptions,
): Promise<TerminateResult> {
  const seen = new Map<string, FoundProcess>();
  const collect = async (): Promise<void> => {
    for (const found of await listTree(tree, table)) {
      seen.set(`${String(found.pid)}:${found.startTicks}`, found);
    }
  };

  await collect();
  if (!tree.running()) return { signalled: false };
  const polite = await escalate(tree, options, collect);
  await collect();
  const graceMs = polite ? options.rungMs : 0;
  await endProcesses(table, [...seen.values()], { graceMs, hurry: options.hurry });
  await endStragglers(tree, table);
  return { signalled: true };
}

export interface TerminateResult {
  /** False if the process ended on its own. */
  readonly signalled: boolean;
  /** A warning that descendants may have survived. */
  readonly survivors?: string;
}

/** Signals the group until its leader has ended; false if that took SIGKILL. */
async function escalate(
  tree: ProcessTree,
  { rungMs, hurry }: TerminateOptions,
  collect: () => Promise<void>,
): Promise<boolean> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    if (hurry.aborted) break;
    tree.signal(signal, "group");
    if (await settlesWithin(tree.exited, rungMs, hurry)) return !hurry.aborted;
    await collect();
  }
  tree.signal("SIGKILL", "group");
  await settlesWithin(tree.exited, KILL_MS);
  return false;
}

/** Ends processes that were forked during the kill. Bounded because of fork bombs. */
async function endStragglers(tree: ProcessTree, table: ProcessTable): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await listTree(tree, table);
    if (found.length === 0) return;
    await endProcesses(table, found, { graceMs: 0 });
  }
}

/** Listing can hang on a process that hangs in the kernel; ending must not. */
async function listTree(tree: ProcessTree, table: ProcessTable): Promise<readonly FoundProcess[]> {
  const group = tree.running() ? tree.pid : null;
  const collect = findStepProcesses(table, tree.token, group);
  return (await settlesWithin(collect, LOOK_MS)) ? collect : [];
}

const KILL_MS = 5_000;
const LOOK_MS = 1_000;
const MAX_ROUNDS = 20;
