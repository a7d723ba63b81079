import { shellWord } from "../../console/shell-word.ts";
import type { OutlineSource } from "../../engine/ports/scope.ts";
import { counted } from "../../language/basics/counted.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import { possibleMoves, type ReadState } from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { namedSchemas } from "../../language/workflow/named-schemas.ts";
import { BadStateError } from "../../wire/errors.ts";
import { systemPlatform } from "../../wire/system/system.ts";
import { readReachable } from "../outline.ts";

/**
 * Checks all states that a run can reach, before its first step. Rejects with a RaymondError if one
 * is unreadable or refers to a missing state. Returns them, with a sentence about other lint findings.
 * `named`: the workflow as the user named it.
 */
export async function lookAhead(
  source: OutlineSource,
  entry: StateName,
  named: string,
): Promise<{ readonly states: readonly ReadState[]; readonly warning: string | null }> {
  const states = await readReachable(source, systemPlatform(), entry);
  for (const state of states) {
    // An earlier state may still write this state.
    if (state.problem === null || isEmpty(state)) continue;
    throw new BadStateError(state.source, state.problem);
  }
  for (const state of states) await checkSchemas(state, source);
  const count = states.reduce((sum, state) => sum + warningsOf(state), 0);
  if (count === 0) return { states, warning: null };
  const found = counted(count, "warning");
  return {
    states,
    warning: `${found} about what this workflow says: raymond lint ${shellWord(named)}`,
  };
}

/** A missing schema is an error of the rule that names it. */
async function checkSchemas(state: ReadState, source: OutlineSource): Promise<void> {
  const { file, source: place } = state;
  for (const { name, at } of namedSchemas(file)) {
    await source.schema(name).catch((error: unknown) => {
      if (!(error instanceof RaymondError) || error.code !== "workflow/missing-schema") throw error;
      const { message, hint = "" } = error;
      throw new BadStateError(place, { rule: "RAY901", at, message, hint });
    });
  }
}

/** Lint findings of a state that are cheap to detect. */
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
