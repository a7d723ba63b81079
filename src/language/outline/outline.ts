import type { Position } from "../basics/place.ts";
import type { Fault } from "../protocol/fault.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import type { Part, StateName, Tag } from "../protocol/transition.ts";
import type { Platform } from "../workflow/files/platform.ts";
import type {
  FileProblem,
  StateFile,
  StateProblem,
  StateText,
} from "../workflow/files/state-file.ts";
import type { Rule } from "../workflow/policy/rule.ts";

/** The states of a workflow and their possible moves, as its files show them without a run. */
export interface Outline {
  readonly platform: Platform;
  /** All states, including those for another platform. */
  readonly names: readonly StateName[];
  readonly entry: OutlinedEntry;
  /** The states for this platform, in the order of `names`. */
  readonly states: readonly OutlinedState[];
}

export type OutlinedEntry =
  | { readonly ok: true; readonly name: StateName }
  | { readonly ok: false; readonly problem: Pick<FileProblem, "message" | "hint"> };

export type OutlinedState = ReadState | UnreadState;

interface Source {
  readonly name: StateName;
  /** The file to edit, for messages: one file can contain many states. */
  readonly source: string;
}

export interface ReadState extends Source {
  readonly ok: true;
  readonly file: StateFile;
  /** Declared moves, then mentioned ones, each in the order of the file. */
  readonly moves: readonly OutlinedMove[];
  /** The `{{name}}` of a prompt and of its rules, each at its first position. */
  readonly placeholders: readonly PlacedName[];
  /** Why a run would refuse the state; null if it would not. */
  readonly problem: StateProblem | null;
}

export interface UnreadState extends Source {
  readonly ok: false;
  readonly problem: FileProblem;
  /** Further problems of the file. */
  readonly further: readonly FileProblem[];
}

export interface PlacedName {
  /** With the path of a field: `result.items.0`. */
  readonly name: string;
  /** The value that it names: `result`. */
  readonly root: string;
  /** The path of the field; empty without one. */
  readonly path: readonly string[];
  readonly at: Position;
}

/**
 * A possible move of a state. `declared`: by a rule, `on_error` or `on_context`. `mentioned`: by a tag
 * in the text of the prompt or script, which may be an instruction, an example or prose.
 */
export interface OutlinedMove {
  readonly by: Tag | "on_error" | "on_context";
  readonly origin: "declared" | "mentioned";
  readonly at: Position;
  readonly destinations: readonly Destination[];
  /** Other values of the tag by name: a workflow path as `target`, the payload, `input`, `cd`, data. */
  readonly values: Readonly<Record<string, string>>;
  readonly rule: Rule | null;
  /** Why a mentioned tag is not a valid transition, as a sentence. */
  readonly problem: string | null;
}

export interface Destination {
  readonly role: Role;
  /** As written; null if it is open or known only at run time. */
  readonly written: string | null;
  /** The resolved state; null if there is none. */
  readonly state: StateName | null;
  readonly fault: Fault | null;
}

/** The parts of a tag that name a state, and those of a gate. */
export type Role = Extract<Part, { holds: "state" }>["name"] | "verify" | "on_fail";

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

/** The literal paths of other workflows in a workflow. */
export function pathsIn({ states }: Outline): readonly string[] {
  const moves = states.flatMap((state) => (state.ok ? state.moves : []));
  return [...new Set(moves.flatMap((move) => pathOf(move) ?? []))];
}

/** Null if a move leads to no other workflow, or the path is known only at run time. */
export function pathOf(move: OutlinedMove): string | null {
  const written = writtenPath(move);
  return written === null || /[$%`{}!]/.test(written) ? null : written;
}

/** The workflow paths of states as written, including those with variables. */
export function writtenPaths(states: readonly ReadState[]): readonly string[] {
  return [
    ...new Set(states.flatMap(({ moves }) => moves.flatMap((one) => writtenPath(one) ?? []))),
  ];
}

/** The workflow path of a move as written; null if it enters no other workflow. */
export function writtenPath({ by, values }: OutlinedMove): string | null {
  if (by === "on_error" || by === "on_context") return null;
  const { content } = TAG_TABLE[by];
  return content.holds === "workflow" ? (values[content.name] ?? null) : null;
}

/** Converts offsets in the body of a state to positions in its file. */
export function placesIn({ body, bodyLine, bodyColumn }: StateText): (offset: number) => Position {
  const lineStarts = [0];
  for (let at = body.indexOf("\n"); at !== -1; at = body.indexOf("\n", at + 1))
    lineStarts.push(at + 1);

  return (offset) => {
    const index = lastIndexUpTo(lineStarts, offset);
    return { line: bodyLine + index, column: bodyColumn + offset - (lineStarts[index] ?? 0) };
  };
}

/** The index of the last of these ascending numbers that is at most `limit`. */
export function lastIndexUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ascending[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
