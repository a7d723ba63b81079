import type { StateName } from "../protocol/transition.ts";
import type { OutlinedMove, OutlinedState, ReadState } from "./outline.ts";

/**
 * The moves that a run can make: the declared ones, plus mentioned ones that fill an open rule, or
 * all mentioned ones if the state has no rules.
 */
export function possibleMoves({ file, moves }: ReadState): readonly OutlinedMove[] {
  const declared = moves.filter(({ origin }) => origin === "declared");
  const mentioned = moves.filter(({ origin }) => origin === "mentioned");
  if (file.kind === "script" || file.rules === null) return [...declared, ...mentioned];
  const open = new Set(declared.filter(isOpen).map(({ by }) => by));
  return [...declared, ...mentioned.filter(({ by }) => open.has(by))];
}

/**
 * The possible moves with their index, without open rules that the text of the state fills: the
 * mentioned moves replace them.
 */
export function shownMoves(state: ReadState): readonly (readonly [number, OutlinedMove])[] {
  const moves = possibleMoves(state);
  const filled = new Set(moves.flatMap(({ by, origin }) => (origin === "mentioned" ? [by] : [])));
  return [...moves.entries()].filter(
    ([, move]) => !(move.origin === "declared" && isOpen(move) && filled.has(move.by)),
  );
}

/** Whether a destination of the move is unknown before the run. */
export function isOpen({ destinations }: OutlinedMove): boolean {
  return destinations.some(({ written }) => written === null);
}

/** The states that one output of this state can lead to, including the return state of a call. */
export function nextStates(state: ReadState): readonly StateName[] {
  const states = possibleMoves(state).flatMap(({ destinations }) =>
    destinations.flatMap(({ state: name }) => name ?? []),
  );
  return [...new Set(states)];
}

/** The states reachable from these, as far as the files show it. */
export function reachableFrom(
  states: readonly OutlinedState[],
  from: readonly StateName[],
): ReadonlySet<StateName> {
  const byName = new Map(states.map((state) => [state.name, state]));
  const reached = new Set(from);
  // Iterating over a Set also visits elements added during the iteration.
  for (const name of reached) {
    const state = byName.get(name);
    if (state?.ok !== true) continue;
    for (const next of nextStates(state)) reached.add(next);
  }
  return reached;
}
