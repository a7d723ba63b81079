import { TAG_TABLE } from "./tag-table.ts";
import type { Data, Field, Part, Tag, Transition } from "./transition.ts";

/** The values of a transition by field. */
export type Values = { readonly [F in Field]?: string };

/** The content of a tag, then its own attributes. */
export function partsOf(tag: Tag): readonly [content: Part, ...attributes: Part[]] {
  const { content, attributes } = TAG_TABLE[tag];
  return [content, ...attributes];
}

/** The attribute that this one requires, such as `timeout_next` for `timeout`; null if none. */
export function companionOf(part: Part): string | null {
  return "with" in part ? part.with : null;
}

export function mustNotBeEmpty(part: Part): boolean {
  return "filled" in part;
}

/** Whether a rule has its value as a field of its own, as a payload or as a default. */
export function isText(part: Part): part is Extract<Part, { holds: "text" | "worktree" }> {
  return part.holds === "text" || part.holds === "worktree";
}

/** The value of a part; undefined if an optional part is absent. */
export function valueIn(transition: Transition, { field }: Part): string | undefined {
  const values: Values = transition;
  return values[field];
}

/** The data attributes of the agent that a transition starts; null if it starts none. */
export function dataOf(transition: Transition): Data | null {
  return "attributes" in transition ? transition.attributes : null;
}

/** All attributes of a transition in the order of its tag, data last. */
export function attributesOf(
  transition: Transition,
): readonly (readonly [name: string, value: string])[] {
  const [, ...own] = partsOf(transition.tag);
  const present = own.flatMap((part) => {
    const value = valueIn(transition, part);
    return value === undefined ? [] : [[part.name, value] as const];
  });
  return [...present, ...Object.entries(dataOf(transition) ?? {})];
}

/** Creates a transition. `values` must contain all required parts of the tag. */
export function transitionOf(tag: Tag, values: Values, data: Data): Transition {
  const all = TAG_TABLE[tag].startsAgent
    ? { tag, ...values, attributes: data }
    : { tag, ...values };
  // The type is derived from the same table.
  return all as Transition;
}
