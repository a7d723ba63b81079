import type { Position } from "../basics/place.ts";
import type { Fault } from "../protocol/fault.ts";
import type { Part, StateName, Tag } from "../protocol/transition.ts";
import type { Platform } from "../workflow/files/platform.ts";
import type { FileProblem, StateFile, StateProblem } from "../workflow/files/state-file.ts";
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
