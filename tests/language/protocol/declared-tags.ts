import { partsOf, transitionOf } from "../../../src/language/protocol/parts.ts";
import type { Part, Tag, Transition } from "../../../src/language/protocol/transition.ts";

/** A value that any part may have: a name that is a state's, a folder's and a text. */
export const A_VALUE = "A.md";

/** A value that this part may have. */
export function aValue(part: Part): string {
  switch (part.holds) {
    case "choice":
      return part.choices[0];
    case "count":
      return "1";
    case "duration":
      return "5m";
    case "worktree":
      return "true";
    case "state":
    case "workflow":
    case "folder":
    case "text":
    case "options":
      return A_VALUE;
  }
}

/** A transition that has every part of its tag, and data where the tag takes some. */
export function fullTransition(tag: Tag): Transition {
  const values = Object.fromEntries(partsOf(tag).map((part) => [part.field, aValue(part)]));
  return transitionOf(tag, values, { item: "7" });
}

/** The same as text, but for the parts with these names, which are left out or written so. */
export function tagText(tag: Tag, changes: Readonly<Record<string, string | null>> = {}): string {
  const [content, ...own] = partsOf(tag);
  const written = (part: Part) =>
    part.name in changes ? (changes[part.name] ?? null) : aValue(part);
  const attributes = own.map((part) => {
    const value = written(part);
    return value === null ? "" : ` ${part.name}="${value}"`;
  });
  const further = Object.entries(changes).filter(([name]) => name.startsWith("x_"));
  const others = further.map(([name, value]) => ` ${name}="${value ?? ""}"`);
  return `<${tag}${attributes.join("")}${others.join("")}>${written(content) ?? ""}</${tag}>`;
}
