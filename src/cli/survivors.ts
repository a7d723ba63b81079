import { cut, printable } from "../observers/printable.ts";
import {
  endProcesses,
  type FoundProcess,
  findProcesses,
  findStepProcesses,
} from "../process/sweep.ts";

/** What has become of the processes of a run that nobody holds. */
export interface Swept {
  /** They lived, and are dead. */
  readonly ended: readonly FoundProcess[];
  /** They live still. */
  readonly left: readonly FoundProcess[];
}

/**
 * Ends all processes of a run: those that carry its token, and what descends
 * from them. The caller holds the run's lock, or knows that nobody can take it:
 * the steps of a run that goes on carry the same token. `elder` as for `findProcesses`.
 */
export function endSurvivors(runToken: string, elder: number | null = null): Promise<Swept> {
  return endAll(() => findProcesses(`${runToken}.`, process.platform, elder));
}

/** The same for one attempt of a step, of a run that goes on. */
export function endStepSurvivors(stepToken: string): Promise<Swept> {
  return endAll(() => findStepProcesses(stepToken, null));
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

/** `16984  node claude -p`: one line for people, cut where the command is long. */
export function processLine({ pid, command }: FoundProcess): string {
  return printable(`${String(pid)}  ${cut(command, LONGEST)}`);
}

/** Characters of a command: what it is stands at its beginning. */
const LONGEST = 120;

/** A fork bomb has no end; what is left of it then is told. */
const ROUNDS = 20;
/** How long a survivor may take to end by itself, ms. */
const GRACE_MS = 2_000;

function nameOf({ pid, startTicks }: FoundProcess): string {
  return `${String(pid)}:${startTicks}`;
}
