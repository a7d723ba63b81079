import type { OrphanCleanup, OrphanProcesses } from "../engine/ports/orphans.ts";
import {
  endProcesses,
  type FoundProcess,
  findProcesses,
  findStepProcesses,
} from "./find-processes.ts";
import type { ProcessPlatform } from "./platform/platform.ts";
import type { ProcessTable } from "./platform/table.ts";

/**
 * Orphan processes of a run: those with its token or in a group recorded in `groups`, and their
 * descendants. Excludes newer claims: a worker that wakes from a hang must not end the steps of the
 * worker that took over the run.
 */
export function orphanProcesses(
  { table, livingGroups }: ProcessPlatform,
  groups: string,
  { oldest, epoch }: { readonly oldest: number | null; readonly epoch: number | null },
): OrphanProcesses {
  const hints = async () => ({ oldest, epoch, groups: await livingGroups(groups, { epoch }) });
  return {
    find: async (runToken) => findProcesses(table, `${runToken}.`, await hints()),
    async end(runToken) {
      // Determined once: the groups are still ours after the process that proved it has ended.
      const known = await hints();
      return endAll(table, () => findProcesses(table, `${runToken}.`, known));
    },
    async endStep(stepToken) {
      const [group = null] = await livingGroups(groups, { token: stepToken });
      return endAll(table, () => findStepProcesses(table, stepToken, group));
    },
  };
}

async function endAll(
  table: ProcessTable,
  find: () => Promise<readonly FoundProcess[]>,
): Promise<OrphanCleanup> {
  const seen = new Map<string, FoundProcess>();
  let left = await find();
  // Several rounds for processes that are started in the meantime.
  for (
    let round = 0;
    round < ROUNDS && left.some((found) => !seen.has(nameOf(found)));
    round += 1
  ) {
    for (const found of left) seen.set(nameOf(found), found);
    await endProcesses(table, left, { graceMs: round === 0 ? GRACE_MS : 0 });
    left = await find();
  }
  const alive = new Set(left.map(nameOf));
  return {
    ended: [...seen.values()].filter((found) => !alive.has(nameOf(found))),
    remaining: left,
  };
}

/** A fork bomb never ends; the survivors are reported. */
const ROUNDS = 20;
/** Time for an orphan process to end after SIGTERM, ms. */
const GRACE_MS = 2_000;

function nameOf({ pid, startTicks }: FoundProcess): string {
  return `${String(pid)}:${startTicks}`;
}
