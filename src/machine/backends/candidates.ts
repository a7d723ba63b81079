import { type Address, fullName } from "../../language/protocol/address.ts";
import type { Candidates, RunState } from "../model/run-state.ts";

/** Updates the candidates of states. The default agent of the run alone is not stored. */
export function updateCandidates(run: RunState, changed: Candidates | undefined): RunState {
  if (changed === undefined) return run;
  const merged = Object.entries({ ...run.candidates, ...changed });
  const others = merged.filter(
    ([, [first, second]]) => first !== run.backend || second !== undefined,
  );
  return { ...run, candidates: others.length === 0 ? undefined : Object.fromEntries(others) };
}

/** The difference to the known candidates of a state, as an entry; empty: none. */
export function changedCandidates(
  { candidates, backend }: RunState,
  state: Address,
  found: readonly string[],
): Candidates {
  const name = fullName(state);
  const known = candidates?.[name] ?? [backend];
  const isSame = known.length === found.length && known.every((one, index) => one === found[index]);
  return isSame ? {} : { [name]: found };
}
