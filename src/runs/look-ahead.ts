import { counted } from "../core/counted.ts";
import type { ReadState } from "../core/outline/outline.ts";
import { possibleMoves } from "../core/outline/reach.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { shellWord } from "../observers/shell-word.ts";
import { BadStateError } from "./errors.ts";
import { readReachable } from "./outline.ts";
import { systemPlatform } from "./wire/system.ts";
import type { OutlineSource } from "./wire/workflow.ts";

/**
 * Looks at all states that a run can come to from its first one, so that nothing
 * is paid where one of them cannot be read, or names by a rule or a key a state
 * that is not there: then it rejects with a RaymondError. Resolves with a sentence
 * where the rest would be told by lint; `named` is how the user called the workflow.
 */
export async function lookAhead(
  source: OutlineSource,
  entry: StateName,
  named: string,
): Promise<string | null> {
  const states = await readReachable(source, systemPlatform(), entry);
  for (const state of states) {
    // What an earlier state may yet write stops nothing.
    if (state.problem === null || isEmpty(state)) continue;
    throw new BadStateError(state.source, state.problem);
  }
  const count = states.reduce((sum, state) => sum + warningsOf(state), 0);
  if (count === 0) return null;
  return `${counted(count, "warning")} about what this workflow says: raymond lint ${shellWord(named)}`;
}

/** What lint would tell of a state, as far as it can be seen in passing. */
function warningsOf(state: ReadState): number {
  const leadsNowhere = possibleMoves(state).filter(
    ({ problem, destinations }) =>
      problem !== null || destinations.some(({ fault }) => fault !== null),
  );
  return state.file.warnings.length + leadsNowhere.length + (isEmpty(state) ? 1 : 0);
}

function isEmpty({ file }: ReadState): boolean {
  return file.body.trim() === "";
}
