import { settlesWithin } from "./settles-within.ts";
import { endProcesses, type FoundProcess, findStepProcesses } from "./sweep.ts";
import type { ProcessTable } from "./table.ts";
import type { ProcessTree } from "./tree.ts";

/** How a tree is ended. */
export interface TerminateOptions {
  /** Between two signals, ms. */
  readonly rungMs: number;
  /** Skips the pauses: SIGKILL at once. */
  readonly hurry: AbortSignal;
}

/**
 * Ends a process with all that it has started (docs/claude.md, "How long raymond
 * waits"): SIGINT to its group, a pause, SIGTERM, a pause, SIGKILL; then all
 * that carry its token, are of its group, or descend from those.
 *
 * L1. Nothing is signalled by a pid whose process has ended: the group only
 *     while its leader runs, the others only with the start time they were found with.
 * L2. The tree is looked at before every signal: a child without the token that
 *     loses its parent by the signal could not be found afterwards.
 */
export async function terminate(
  tree: ProcessTree,
  table: ProcessTable,
  options: TerminateOptions,
): Promise<Terminated> {
  const family = new Map<string, FoundProcess>();
  const look = async (): Promise<void> => {
    for (const found of await lookAround(tree, table)) {
      family.set(`${String(found.pid)}:${found.startTicks}`, found);
    }
  };

  await look();
  if (!tree.running()) return { signalled: false };
  const polite = await climb(tree, options, look);
  await look();
  const graceMs = polite ? options.rungMs : 0;
  await endProcesses(table, [...family.values()], { graceMs, hurry: options.hurry });
  await endStragglers(tree, table);
  return { signalled: true };
}

/** What has come of it. */
export interface Terminated {
  /** False when it had ended by itself before. */
  readonly signalled: boolean;
  /** Why something of it may still live, for people. */
  readonly mayLive?: string;
}

/** Signals the group until its leader has ended; false when that took SIGKILL. */
async function climb(
  tree: ProcessTree,
  { rungMs, hurry }: TerminateOptions,
  look: () => Promise<void>,
): Promise<boolean> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    if (hurry.aborted) break;
    signalGroup(tree, signal);
    if (await settlesWithin(tree.exited, rungMs, hurry)) return !hurry.aborted;
    await look();
  }
  signalGroup(tree, "SIGKILL");
  await settlesWithin(tree.exited, KILL_MS);
  return false;
}

/** Those that were forked while the others were being killed; bounded, for a fork bomb has no end. */
async function endStragglers(tree: ProcessTree, table: ProcessTable): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await lookAround(tree, table);
    if (found.length === 0) return;
    await endProcesses(table, found, { graceMs: 0 });
  }
}

/** A look can hang on a process that hangs in the kernel; ending must not. */
async function lookAround(
  tree: ProcessTree,
  table: ProcessTable,
): Promise<readonly FoundProcess[]> {
  const group = tree.running() ? tree.pid : null;
  const look = findStepProcesses(table, tree.token, group);
  return (await settlesWithin(look, LOOK_MS)) ? look : [];
}

function signalGroup(tree: ProcessTree, signal: NodeJS.Signals): void {
  if (!tree.running()) return;
  try {
    process.kill(-tree.pid, signal);
  } catch {
    // It has ended, and its end is about to be noticed.
  }
}

const KILL_MS = 5_000;
const LOOK_MS = 1_000;
const MAX_ROUNDS = 20;
