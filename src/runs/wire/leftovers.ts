import type { Leftovers } from "../../ports/leftovers.ts";
import { livingGroups } from "../../process/step-groups.ts";
import {
  endProcesses,
  type FoundProcess,
  findProcesses,
  findStepProcesses,
} from "../../process/sweep.ts";

/** What has become of the processes of a run that nobody holds. */
export interface Swept {
  /** They lived, and are dead. */
  readonly ended: readonly FoundProcess[];
  /** They live still. */
  readonly left: readonly FoundProcess[];
}

/**
 * What lives of a run: what carries its token, is of a group that is written
 * down in the folder `groups`, or descends from those.
 */
export async function findLeftovers(
  runToken: string,
  groups: string,
): Promise<readonly FoundProcess[]> {
  return findProcesses(`${runToken}.`, process.platform, null, await livingGroups(groups));
}

/**
 * Ends them all. The caller holds the run's lock, or knows that nobody can take it:
 * the steps of a run that goes on are the same. `elder` as for `findProcesses`.
 */
export async function endLeftovers(
  runToken: string,
  groups: string,
  elder: number | null = null,
): Promise<Swept> {
  // Looked up once: a group that was ours a moment ago is, also when the one who told has ended.
  const living = await livingGroups(groups);
  return endAll(() => findProcesses(`${runToken}.`, process.platform, elder, living));
}

/** The same for one attempt of a step, of a run that goes on. */
async function endStepLeftovers(stepToken: string, groups: string): Promise<Swept> {
  const [group = null] = await livingGroups(groups, stepToken);
  return endAll(() => findStepProcesses(stepToken, group));
}

/** Those of a run whose groups are written down there, as its engine ends them; `elder` as for `findProcesses`. */
export function leftoversOf(groups: string, elder: number | null): Leftovers {
  return {
    end: async (runToken) => (await endLeftovers(runToken, groups, elder)).ended,
    endStep: async (stepToken) => (await endStepLeftovers(stepToken, groups)).ended,
  };
}

async function endAll(find: () => Promise<readonly FoundProcess[]>): Promise<Swept> {
  const seen = new Map<string, FoundProcess>();
  let left = await find();
  // More than one round for what was started while the others were being ended.
  for (
    let round = 0;
    round < ROUNDS && left.some((found) => !seen.has(nameOf(found)));
    round += 1
  ) {
    for (const found of left) seen.set(nameOf(found), found);
    await endProcesses(left, { graceMs: round === 0 ? GRACE_MS : 0 });
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
