import type { StateName } from "../protocol/transition.ts";
import type { OutlinedMove, OutlinedState, ReadState } from "./outline.ts";

/**
 * The moves of a state that a run can make: where rules say which tags are
 * allowed, those, and what the text fills into what they leave open; else what
 * the text mentions; and the keys that lead elsewhere by themselves.
 */
export function possibleMoves({ file, moves }: ReadState): readonly OutlinedMove[] {
  const declared = moves.filter(({ origin }) => origin === "declared");
  const mentioned = moves.filter(({ origin }) => origin === "mentioned");
  if (file.kind === "script" || file.rules === null) return [...declared, ...mentioned];
  const open = new Set(declared.filter(isOpen).map(({ by }) => by));
  return [...declared, ...mentioned.filter(({ by }) => open.has(by))];
}

/** Whether the files do not say where this move leads. */
export function isOpen({ destinations }: OutlinedMove): boolean {
  return destinations.some(({ written }) => written === null);
}

/** The states that a run can come to from this one by one output, a call's return among them. */
export function nextStates(state: ReadState): readonly StateName[] {
  const states = possibleMoves(state).flatMap(({ destinations }) =>
    destinations.flatMap(({ state: name }) => name ?? []),
  );
  return [...new Set(states)];
}

/** The states that a run can come to that begins at one of these, as far as the files say it. */
export function reachableFrom(
  states: readonly OutlinedState[],
  from: readonly StateName[],
): ReadonlySet<StateName> {
  const byName = new Map(states.map((state) => [state.name, state]));
  const reached = new Set(from);
  // A set may grow while it is walked: what is added is walked as well.
  for (const name of reached) {
    const state = byName.get(name);
    if (state?.ok !== true) continue;
    for (const next of nextStates(state)) reached.add(next);
  }
  return reached;
}
