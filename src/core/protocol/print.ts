import { attributesOf, partsOf, valueIn } from "./parts.ts";
import type { Transition } from "./transition.ts";

/**
 * A transition as the tag that asks for it. What is printed reads back as the
 * same transition wherever a tag can say it: no tag can hold a value with both
 * kinds of quotes, or a payload with `</result>` or blank lines at its ends.
 */
export function printTransition(transition: Transition): string {
  const { tag } = transition;
  const [part] = partsOf(tag);
  const value = valueIn(transition, part) ?? "";
  const content = part.holds === "text" ? onItsLines(value) : value;
  const attributes = attributesOf(transition).map(([name, text]) => attribute(name, text));
  return `<${tag}${attributes.join("")}>${content}</${tag}>`;
}

function attribute(name: string, value: string): string {
  return value.includes('"') ? ` ${name}='${value}'` : ` ${name}="${value}"`;
}

/** Lines of its own, so that a code fence at an end of the payload is one. */
function onItsLines(payload: string): string {
  return payload.includes("\n") ? `\n${payload}\n` : payload;
}
