import type { Leftovers, Swept } from "../ports/leftovers.ts";
import type { ProcessPlatform } from "./platform.ts";
import { endProcesses, type FoundProcess, findProcesses, findStepProcesses } from "./sweep.ts";
import type { ProcessTable } from "./table.ts";

/**
 * Living processes of a run: those that carry its token, are of a group that is written down in `groups`, or
 * descend from those. Never those of a newer claim: a worker that wakes from a hang must not end the steps
 * of the worker that took the run over.
 */
export function leftoversOf(
  { table, living }: ProcessPlatform,
  groups: string,
  { elder, epoch }: { readonly elder: number | null; readonly epoch: number | null },
): Leftovers {
  const hints = async () => ({ elder, epoch, groups: await living(groups, { epoch }) });
  return {
    find: async (runToken) => findProcesses(table, `${runToken}.`, await hints()),
    async end(runToken) {
      // Looked up once: a group that was ours a moment ago is, also when the one who told has ended.
      const known = await hints();
      return endAll(table, () => findProcesses(table, `${runToken}.`, known));
    },
    async endStep(stepToken) {
      const [group = null] = await living(groups, { token: stepToken });
      return endAll(table, () => findStepProcesses(table, stepToken, group));
    },
  };
}

async function endAll(
  table: ProcessTable,
  find: () => Promise<readonly FoundProcess[]>,
): Promise<Swept> {
  const seen = new Map<string, FoundProcess>();
  let left = await find();
  // More than one round for what was started while the others were being ended.
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
  return { ended: [...seen.values()].filter((found) => !alive.has(nameOf(found))), left };
}

/** A fork bomb has no end; what is left of it then is told. */
const ROUNDS = 20;
/** How long a leftover may take to end by itself, ms. */
const GRACE_MS = 2_000;

function nameOf({ pid, startTicks }: FoundProcess): string {
  return `${String(pid)}:${startTicks}`;
}
