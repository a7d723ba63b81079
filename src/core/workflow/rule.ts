import type { Position } from "../place.ts";
import type { StateField, Tag, TextField, WorkflowField } from "../protocol/transition.ts";

/**
 * One entry of `allowed_transitions`, as its author wrote it: names are not
 * resolved yet, and a field that is absent is left open.
 */
export interface Rule extends RuledStates, RuledWorkflows, RuledTexts {
  readonly tag: Tag;
  /** What must pass before such a transition applies. */
  readonly verify?: RuledGate;
  /** All other attributes, data among them; an empty value means "any value, but present". */
  readonly attributes: Readonly<Record<string, string>>;
  /** Where it stands in its file. */
  readonly at: Position;
}

/** The gate of a rule: names as written. */
export interface RuledGate {
  readonly state: string;
  /** How often it may run in one visit of the state. */
  readonly attempts: number;
  /** Where the agent goes after the last of them; null: it fails. */
  readonly onFail: string | null;
}

/** The states that a rule names. */
export type RuledStates = { readonly [F in StateField]?: string };

/** The paths of workflows that a rule names: literally, for a model does not choose what code runs. */
export type RuledWorkflows = { readonly [F in WorkflowField]?: string };

/**
 * The texts of a rule: the one `payload` that it lets through, and the `input`
 * that it gives where the tag has none, as a template.
 */
export type RuledTexts = { readonly [F in TextField]?: string };
