import type { Position } from "../../basics/place.ts";
import type { StateField, Tag, TextField, WorkflowField } from "../../protocol/transition.ts";

/** One entry of `allowed_transitions`. Names are unresolved; absent fields are open. */
export interface Rule extends RuleFields {
  readonly tag: Tag;
  readonly verify?: RuleGate;
  /** The schema file for the payload that `checkedPart` names. */
  readonly schema?: string;
  /** All other attributes including data. An empty value means: present with any value. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly at: Position;
}

export interface RuleGate {
  readonly state: string;
  /** Runs per visit of the state. */
  readonly attempts: number;
  /** The state to enter after the last attempt; null: the step fails. */
  readonly onFail: string | null;
}

/**
 * States, workflow paths and texts. A path is matched literally: a model must not choose which code
 * runs. `payload` is a condition; `input` and `worktree` are defaults, templates.
 */
export type RuleFields = { readonly [F in StateField | WorkflowField | TextField]?: string };
