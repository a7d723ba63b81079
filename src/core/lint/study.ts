import type { BackendFacts } from "../machine/backend-facts.ts";
import type { Outline, OutlinedMove, OutlinedState, ReadState } from "../outline/outline.ts";
import { isOpen, possibleMoves, reachableFrom } from "../outline/reach.ts";
import type { StateName } from "../protocol/transition.ts";
import { findState } from "../workflow/find-state.ts";
import type { Manifest } from "../workflow/manifest.ts";
import type { FileProblem } from "../workflow/state-file.ts";
import { type Flow, flowOf } from "./flow.ts";

/** A workflow, and what lint is told of the world around it. */
export interface LintFacts {
  readonly outline: Outline;
  /** What messages call the workflow as a whole. */
  readonly workflow: string;
  /** What it says of itself, or why that cannot be read, and the file that says it. */
  readonly manifest: Manifest | FileProblem;
  readonly manifestSource: string;
  /** Variables that whoever runs it gives besides those that it declares. */
  readonly variables: readonly string[];
  readonly backend: BackendFacts;
  /** Where the interpreters of scripts cannot parse them. */
  readonly syntax: ReadonlyMap<StateName, FileProblem>;
  /** Whether a file of this name is by custom about other things than the workflow. */
  readonly isDocument: (name: StateName) => boolean;
}

/** What the checks look at: the facts, and what follows from them. */
export interface Study extends LintFacts {
  /** Those that could be read. */
  readonly states: readonly ReadState[];
  /** What a run can come to; all where it is not known. */
  readonly reached: ReadonlySet<StateName>;
  /** That, and what it could come to if what names a state wrongly, or against the rules, were mended. */
  readonly meant: ReadonlySet<StateName>;
  readonly movesOf: (state: ReadState) => readonly OutlinedMove[];
  readonly flow: Flow;
}

export function studyOf(facts: LintFacts): Study {
  const { outline } = facts;
  const states = outline.states.filter((state): state is ReadState => state.ok);
  const known = new Map<StateName, readonly OutlinedMove[]>();
  const movesOf = (state: ReadState): readonly OutlinedMove[] => {
    const moves = known.get(state.name) ?? possibleMoves(state);
    known.set(state.name, moves);
    return moves;
  };
  const reached = reachedIn(outline, movesOf);
  const meant = reachableFrom(states, [
    ...reached,
    ...alludedTo(
      states.filter(({ name }) => reached.has(name)),
      outline,
    ),
  ]);
  return { ...facts, states, reached, meant, movesOf, flow: flowOf(states, movesOf) };
}

/** What any move names, allowed or not, and what it probably means where it names nothing. */
function alludedTo(
  states: readonly ReadState[],
  { names, platform }: Outline,
): readonly StateName[] {
  return states.flatMap(({ name: from, moves }) =>
    moves.flatMap(({ destinations }) =>
      destinations.flatMap(({ state, written, fault }) => {
        if (fault === null || written === null) return state === from ? [] : (state ?? []);
        return likely(findState(names, written, platform));
      }),
    ),
  );
}

function likely(finding: ReturnType<typeof findState>): readonly StateName[] {
  switch (finding.kind) {
    case "found":
      return [finding.name];
    case "unknown":
      return finding.nearest === null ? [] : [finding.nearest];
    case "ambiguous":
      return finding.candidates;
    case "wrong-platform":
      return finding.usable === null ? [] : [finding.usable];
  }
}

/** Whether a state is one that nothing but its own text makes one, so that it may be left alone. */
export function looksLikeState({ file, moves }: ReadState): boolean {
  if (file.kind === "prompt" && file.rules !== null) return true;
  return moves.length > 0;
}

function reachedIn({ entry, states }: Outline, movesOf: Study["movesOf"]): ReadonlySet<StateName> {
  const all = new Set(states.map(({ name }) => name));
  if (!entry.ok) return all;
  const reached = reachableFrom(states, [entry.name]);
  const somewhere = states.some((state: OutlinedState) => {
    return state.ok && reached.has(state.name) && leadsAnywhere(state, movesOf);
  });
  return somewhere ? all : reached;
}

/** Whether only a run can tell where this state leads. */
function leadsAnywhere(state: ReadState, movesOf: Study["movesOf"]): boolean {
  const open = movesOf(state).filter(isOpen);
  if (state.file.kind === "script") return open.length > 0;
  // What a rule leaves open, the prompt may name.
  const named = new Set(state.moves.filter((move) => !isOpen(move)).map(({ by }) => by));
  return open.some(({ by, origin }) => origin === "mentioned" || !named.has(by));
}
