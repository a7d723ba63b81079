import { isOpen, type OutlinedMove, type ReadState } from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { dropsFrames, isByTag, isCall, isFork, stateOf } from "../moves.ts";

/** Where an agent can go and how it can end, as far as the files show it. */
export interface Flow {
  /** The next states of the same agent: called states and continuations. */
  readonly onward: (state: StateName) => readonly StateName[];
  /** All states reachable from it; contains the state itself only if it is part of a loop. */
  readonly beyond: (state: StateName) => ReadonlySet<StateName>;
  /** Whether an agent in this state can end with a result. */
  readonly canEnd: (state: StateName) => boolean;
  /** Whether a result can return from here to the caller. */
  readonly canReturn: (state: StateName) => boolean;
}

export function flowOf(
  states: readonly ReadState[],
  movesOf: (state: ReadState) => readonly OutlinedMove[],
): Flow {
  const moves = new Map(states.map((state) => [state.name, movesOf(state)]));
  const edges = new Map(
    [...moves].map(([name, own]) => [name, [...new Set(own.flatMap(nextOfAgent))]]),
  );
  const onward = (state: StateName) => edges.get(state) ?? [];
  const returning = closed(moves, onward, returnsBy);
  const ending = closed(moves, onward, (move, ends) => endsBy(move, ends, returning));
  return {
    onward,
    beyond: (state) => beyond(state, onward),
    canEnd: (state) => !moves.has(state) || ending.has(state),
    canReturn: (state) => !moves.has(state) || returning.has(state),
  };
}

/** The next states of the moving agent, without gates and states of workers. */
function nextOfAgent(move: OutlinedMove): readonly StateName[] {
  return move.destinations.flatMap(({ role, state }) => {
    if (state === null || role === "verify") return [];
    return isFork(move) && role === "target" ? [] : [state];
  });
}

/** All states with a good move, where that may depend on the states that it leads to. */
function closed(
  moves: ReadonlyMap<StateName, readonly OutlinedMove[]>,
  onward: (state: StateName) => readonly StateName[],
  isGood: (move: OutlinedMove, good: (state: StateName) => boolean) => boolean,
): ReadonlySet<StateName> {
  const before = new Map<StateName, StateName[]>();
  for (const name of moves.keys()) {
    for (const next of onward(name)) {
      const known = before.get(next);
      if (known === undefined) before.set(next, [name]);
      else known.push(name);
    }
  }
  const good = new Set<StateName>();
  const holds = (state: StateName) => !moves.has(state) || good.has(state);
  const waiting = [...moves.keys()];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const own = moves.get(name) ?? [];
    if (good.has(name) || !(hasNoContinuation(own) || own.some((move) => isGood(move, holds))))
      continue;
    good.add(name);
    // Only the predecessors can change.
    waiting.push(...(before.get(name) ?? []));
  }
  return good;
}

/** Whether nothing names the next state of the agent, so that every state is possible. */
export function hasNoContinuation(moves: readonly OutlinedMove[]): boolean {
  return moves.every((move) => !isByTag(move) || (isFork(move) && stateOf(move, "next") === null));
}

function returnsBy(move: OutlinedMove, returns: (state: StateName) => boolean): boolean {
  return !dropsFrames(move) && leadsTo(move, returns, returns);
}

function endsBy(
  move: OutlinedMove,
  ends: (state: StateName) => boolean,
  returning: ReadonlySet<StateName>,
): boolean {
  const callee = isCall(move) ? stateOf(move, "target") : null;
  // A callee that never returns can still end the agent.
  if (callee !== null && !returning.has(callee) && ends(callee)) return true;
  return leadsTo(move, ends, (state) => returning.has(state));
}

function leadsTo(
  move: OutlinedMove,
  holds: (state: StateName) => boolean,
  returns: (state: StateName) => boolean,
): boolean {
  if (move.by === "result" || isOpen(move)) return true;
  if (move.destinations.some(({ fault }) => fault !== null)) return true;
  if (isCall(move)) {
    const [callee, back] = [stateOf(move, "target"), stateOf(move, "return")];
    return (callee === null || returns(callee)) && (back === null || holds(back));
  }
  const next = nextOfAgent(move);
  // A move to a state outside of these files is assumed to end.
  return next.length === 0 ? !isFork(move) : next.some(holds);
}

function beyond(
  state: StateName,
  onward: (state: StateName) => readonly StateName[],
): ReadonlySet<StateName> {
  const found = new Set(onward(state));
  // Iterating over a Set also visits elements added during the iteration.
  for (const one of found) for (const next of onward(one)) found.add(next);
  return found;
}
