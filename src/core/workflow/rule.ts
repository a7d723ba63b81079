import type { Position } from "../place.ts";
import type { StateField, Tag, TextField } from "../protocol/transition.ts";

/**
 * One entry of `allowed_transitions`, as its author wrote it: names are not
 * resolved yet, and a field that is absent is left open.
 */
export interface Rule extends RuledStates, RuledTexts {
  readonly tag: Tag;
  /** All other attributes, data among them; an empty value means "any value, but present". */
  readonly attributes: Readonly<Record<string, string>>;
  /** Where it stands in its file. */
  readonly at: Position;
}

/** The states that a rule names. */
export type RuledStates = { readonly [F in StateField]?: string };

/**
 * The texts of a rule: the one `payload` that it lets through, and the `input`
 * that it gives where the tag has none, as a template.
 */
export type RuledTexts = { readonly [F in TextField]?: string };
