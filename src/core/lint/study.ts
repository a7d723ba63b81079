import type { BackendFacts } from "../machine/backend-facts.ts";
import type { Outline, OutlinedMove, OutlinedState, ReadState } from "../outline/outline.ts";
import { isOpen, possibleMoves, reachableFrom } from "../outline/reach.ts";
import type { StateName } from "../protocol/transition.ts";
import type { FoundWorkflows } from "../workflow/found-workflow.ts";
import type { Manifest } from "../workflow/manifest.ts";
import type { NearState } from "../workflow/near-state.ts";
import type { FileProblem } from "../workflow/state-file.ts";
import { type Flow, flowOf, isByTag } from "./flow.ts";
import { type MisspelledTag, misspelledTags } from "./misspelled-tags.ts";

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
  /** What the paths of other workflows mean that its states name. */
  readonly workflows: FoundWorkflows;
  /** Where the interpreters of scripts cannot parse them. */
  readonly syntax: ReadonlyMap<StateName, FileProblem>;
  /** Files that look like states and are none. */
  readonly nearStates: readonly NearState[];
  /** Whether a file of this name is by custom about other things than the workflow. */
  readonly isDocument: (name: StateName) => boolean;
}

/** What the checks look at: the facts, and what follows from them. */
export interface Study extends LintFacts {
  /** Those that could be read. */
  readonly states: readonly ReadState[];
  /** Where agents come to, if a run does: a script that is a gate only is no such place. */
  readonly entered: ReadonlySet<StateName>;
  /** What a run can come to; all where it is not known. */
  readonly reached: ReadonlySet<StateName>;
  /** That, and what it could come to by tags that rules do not allow. */
  readonly meant: ReadonlySet<StateName>;
  /** Whether all is known of where a run can go: else what is missing may lie where nobody can look. */
  readonly isWhole: boolean;
  /** Tags of the texts that are written almost as one of the language is. */
  readonly misspelled: readonly MisspelledTag[];
  readonly movesOf: (state: ReadState) => readonly OutlinedMove[];
  readonly flow: Flow;
}

export function studyOf(facts: LintFacts): Study {
  const { outline } = facts;
  const states = outline.states.filter((state): state is ReadState => state.ok);
  const kept = new Map<StateName, readonly OutlinedMove[]>();
  const movesOf = (state: ReadState): readonly OutlinedMove[] => {
    const moves = kept.get(state.name) ?? possibleMoves(state);
    kept.set(state.name, moves);
    return moves;
  };
  const known = reachedIn(outline);
  const entered = placesOf(outline, states);
  const isSure =
    known?.every((state) => {
      return state.ok && !(entered.has(state.name) && leadsAnywhere(state, movesOf(state)));
    }) === true;
  const reached = new Set((isSure ? known : outline.states).map(({ name }) => name));
  const isWhole =
    isSure &&
    states.every((state) => !reached.has(state.name) || leadsOnlyToStates(state, movesOf));
  const shown = states
    .filter(({ name }) => reached.has(name))
    .flatMap(({ name, moves }) => moves.flatMap(namedStates).filter((one) => one !== name));
  const misspelled = states.flatMap((state) => misspelledTags(state, outline));
  const named = misspelled.flatMap(({ target }) => target ?? []);
  const meant = reachableFrom(states, [...reached, ...shown, ...named]);
  return {
    ...facts,
    states,
    entered,
    reached,
    meant,
    misspelled,
    isWhole,
    movesOf,
    flow: flowOf(states, movesOf),
  };
}

/** Whether a state is one that nothing but its own text makes one, so that it may be left alone. */
export function looksLikeState({ file, moves }: ReadState): boolean {
  if (file.kind === "prompt" && file.rules !== null) return true;
  return moves.length > 0;
}

/** In the order in which they are reached; null where it is not known where a run begins. */
function reachedIn({ entry, states }: Outline): readonly OutlinedState[] | null {
  if (!entry.ok) return null;
  const byName = new Map(states.map((state) => [state.name, state]));
  return [...reachableFrom(states, [entry.name])].flatMap((name) => byName.get(name) ?? []);
}

function namedStates({ destinations }: OutlinedMove): readonly StateName[] {
  return destinations.flatMap(({ state }) => state ?? []);
}

function leadsOnlyToStates(state: ReadState, movesOf: Study["movesOf"]): boolean {
  return movesOf(state).every(({ destinations }) =>
    destinations.every(({ fault }) => fault === null),
  );
}

/** Where agents come to: a script that is a gate only is no such place. */
function placesOf({ entry }: Outline, states: readonly ReadState[]): ReadonlySet<StateName> {
  const named = states.flatMap(({ moves }) =>
    moves.flatMap(({ destinations }) =>
      destinations.flatMap(({ role, state }) => (role === "verify" ? [] : (state ?? []))),
    ),
  );
  return new Set([...(entry.ok ? [entry.name] : []), ...named]);
}

/** Whether only a run can tell where this state leads. */
function leadsAnywhere(state: ReadState, moves: readonly OutlinedMove[]): boolean {
  const open = moves.filter(isOpen);
  // Where there is no tag at all, another program prints it.
  if (state.file.kind === "script") return open.length > 0 || !moves.some(isByTag);
  // What a rule leaves open, the prompt may name.
  const named = new Set(state.moves.filter((move) => !isOpen(move)).map(({ by }) => by));
  return open.some(({ by, origin }) => origin === "mentioned" || !named.has(by));
}
