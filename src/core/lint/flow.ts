import type { OutlinedMove, ReadState } from "../outline/outline.ts";
import { isOpen } from "../outline/reach.ts";
import { partsOf } from "../protocol/parts.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import type { StateName, Tag } from "../protocol/transition.ts";

/** Where single agents can go, and how they can end, as far as the files say it. */
export interface Flow {
  /** The states in which the same agent can be next: what it calls, and where it goes on. */
  readonly onward: (state: StateName) => readonly StateName[];
  /** All that it can come to by that, itself only if it comes back. */
  readonly beyond: (state: StateName) => ReadonlySet<StateName>;
  /** Whether an agent can end by a result that is here. */
  readonly canEnd: (state: StateName) => boolean;
  /** Whether a result can come from here to whoever has called. */
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

/** Whether a move pushes its agent onto the stack of callers. */
export function isCall({ by }: OutlinedMove): boolean {
  return isTag(by) && partsOf(by).some(({ name }) => name === "return");
}

/** Whether a move starts another agent. */
export function isFork({ by }: OutlinedMove): boolean {
  return isTag(by) && TAG_TABLE[by].startsAgent;
}

/** Whether a move forgets who has called. */
export function dropsFrames({ by, values }: OutlinedMove): boolean {
  const may = isTag(by) && partsOf(by).some(({ name }) => name === "frames");
  return may && values["frames"] !== "keep";
}

/** The state of a move that has this part in it. */
export function stateOf(
  { destinations }: OutlinedMove,
  role: OutlinedMove["destinations"][number]["role"],
): StateName | null {
  return destinations.find((one) => one.role === role)?.state ?? null;
}

/** Whether a move is asked for by a tag, and no key leads there by itself. */
export function isByTag(move: OutlinedMove): move is OutlinedMove & { readonly by: Tag } {
  return isTag(move.by);
}

function isTag(
  by: OutlinedMove["by"],
): by is Exclude<OutlinedMove["by"], "on_error" | "on_context"> {
  return by !== "on_error" && by !== "on_context";
}

/** Where the agent that moves is next; a gate is no place, and a worker is another agent. */
function nextOfAgent(move: OutlinedMove): readonly StateName[] {
  return move.destinations.flatMap(({ role, state }) => {
    if (state === null || role === "verify") return [];
    return isFork(move) && role === "target" ? [] : [state];
  });
}

type Known = ReadonlySet<StateName>;

/** All states of which one move is good, where that may depend on the states that it leads to. */
function closed(
  moves: ReadonlyMap<StateName, readonly OutlinedMove[]>,
  onward: (state: StateName) => readonly StateName[],
  isGood: (move: OutlinedMove, good: (state: StateName) => boolean) => boolean,
): Known {
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
    if (good.has(name) || !(saysNothing(own) || own.some((move) => isGood(move, holds)))) continue;
    good.add(name);
    // Only of those that lead here may be said more than before.
    waiting.push(...(before.get(name) ?? []));
  }
  return good;
}

/** Whether nothing says where this agent goes on, so that all is possible. */
export function saysNothing(moves: readonly OutlinedMove[]): boolean {
  return moves.every((move) => {
    return !isTag(move.by) || (isFork(move) && stateOf(move, "next") === null);
  });
}

function returnsBy(move: OutlinedMove, returns: (state: StateName) => boolean): boolean {
  return !dropsFrames(move) && leadsTo(move, returns, returns);
}

function endsBy(
  move: OutlinedMove,
  ends: (state: StateName) => boolean,
  returning: Known,
): boolean {
  const callee = isCall(move) ? stateOf(move, "target") : null;
  // One that never returns may end the agent all the same.
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
  // What leads out of these files leads somewhere.
  return next.length === 0 ? !isFork(move) : next.some(holds);
}

function beyond(
  state: StateName,
  onward: (state: StateName) => readonly StateName[],
): ReadonlySet<StateName> {
  const found = new Set(onward(state));
  // A set may grow while it is walked: what is added is walked as well.
  for (const one of found) for (const next of onward(one)) found.add(next);
  return found;
}
