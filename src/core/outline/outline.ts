import type { Position } from "../place.ts";
import type { Fault } from "../protocol/fault.ts";
import type { Part, StateName, Tag } from "../protocol/transition.ts";
import type { Platform } from "../workflow/platform.ts";
import type { Rule } from "../workflow/rule.ts";
import type { FileProblem, StateFile, StateProblem } from "../workflow/state-file.ts";

/**
 * What a workflow consists of, and where each of its states can lead, as its
 * files say it: nothing was run.
 */
export interface Outline {
  readonly platform: Platform;
  /** All that are listed as states, those that only another platform runs among them. */
  readonly names: readonly StateName[];
  readonly entry: OutlinedEntry;
  /** Those that run on this platform, in the order of `names`. */
  readonly states: readonly OutlinedState[];
}

/** The state with which a run begins, or why there is none. */
export type OutlinedEntry =
  | { readonly ok: true; readonly name: StateName }
  | { readonly ok: false; readonly problem: Pick<FileProblem, "message" | "hint"> };

/** One state, or why it cannot be read. */
export type OutlinedState = ReadState | UnreadState;

interface Source {
  readonly name: StateName;
  /** The file to mend, for messages: one file may hold many states. */
  readonly source: string;
}

export interface ReadState extends Source {
  readonly ok: true;
  readonly file: StateFile;
  /** In the order of its file: what is declared, then what its text mentions. */
  readonly moves: readonly OutlinedMove[];
  /** The `{{name}}` of a prompt and of its rules, each where it stands first. */
  readonly placeholders: readonly PlacedName[];
  /** Why it could not do in this workflow what it declares; null where it could. */
  readonly problem: StateProblem | null;
}

export interface UnreadState extends Source {
  readonly ok: false;
  readonly problem: FileProblem;
  /** What else is wrong in its file. */
  readonly further: readonly FileProblem[];
}

export interface PlacedName {
  readonly name: string;
  readonly at: Position;
}

/**
 * One way on that a state names. `declared`: a rule allows it, or a key of front
 * matter or of a directive comment leads there by itself. `mentioned`: its tag
 * stands in the prompt or in the script, which may be how it comes about, an
 * example, or a piece of prose.
 */
export interface OutlinedMove {
  readonly from: StateName;
  readonly by: Tag | "on_error" | "on_context";
  readonly origin: "declared" | "mentioned";
  readonly at: Position;
  readonly destinations: readonly Destination[];
  /** What else is written of the tag, by name: the path of another workflow as `target`, payload, `input`, `cd`, data of a worker … */
  readonly values: Readonly<Record<string, string>>;
  /** The rule that declares it. */
  readonly rule: Rule | null;
  /** Why a tag that is mentioned could not be read as a transition, as a sentence. */
  readonly problem: string | null;
}

/** A state that a move names, by what it is for it. */
export interface Destination {
  readonly role: Role;
  /** As written; null where it is left open, or known only when a script runs. */
  readonly written: string | null;
  /** The file that this means here; null where it is open, or means none. */
  readonly state: StateName | null;
  /** Why it means none. */
  readonly fault: Fault | null;
}

/** The parts of a tag that hold a state, and the two of a gate. */
export type Role = Extract<Part, { holds: "state" }>["name"] | "verify" | "on_fail";
