import { TAG_TABLE } from "./tag-table.ts";
import type { Data, Field, Part, Tag, Transition } from "./transition.ts";

/** The texts of a transition by their fields; what is optional may be absent. */
export type Values = { readonly [F in Field]?: string };

/** What a tag holds: its content, then the attributes of its own. */
export function partsOf(tag: Tag): readonly [content: Part, ...attributes: Part[]] {
  const { content, attributes } = TAG_TABLE[tag];
  return [content, ...attributes];
}

/** The attribute without which this one says nothing; `null` where it needs none. */
export function companionOf(part: Part): string | null {
  return "with" in part ? part.with : null;
}

/** Whether it is a text that must not be empty. */
export function mustSay(part: Part): boolean {
  return "filled" in part;
}

/** What a transition has for a part of its tag; undefined where an optional one is absent. */
export function valueIn(transition: Transition, { field }: Part): string | undefined {
  const values: Values = transition;
  return values[field];
}

/** The data of the agent that a transition starts; `null` where its tag starts none. */
export function dataOf(transition: Transition): Data | null {
  return "attributes" in transition ? transition.attributes : null;
}

/** The attributes of a transition in the order of its tag, data last. */
export function attributesOf(
  transition: Transition,
): readonly (readonly [name: string, value: string])[] {
  const [, ...own] = partsOf(transition.tag);
  const given = own.flatMap((part) => {
    const value = valueIn(transition, part);
    return value === undefined ? [] : [[part.name, value] as const];
  });
  return [...given, ...Object.entries(dataOf(transition) ?? {})];
}

/** The transition that has these values: those of all required parts of its tag, and no others. */
export function transitionOf(tag: Tag, values: Values, data: Data): Transition {
  const all = TAG_TABLE[tag].takesData ? { tag, ...values, attributes: data } : { tag, ...values };
  // The type is made of the table that says which parts these are.
  return all as Transition;
}
