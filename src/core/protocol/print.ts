import { encodeEntities } from "./entities.ts";
import { attributesOf, partsOf, valueIn } from "./parts.ts";
import { trimPayload } from "./payload.ts";
import type { Transition } from "./transition.ts";

/**
 * A transition as the tag that asks for it. Any value is printed so that it reads
 * back as the same transition, if its states can be named at all.
 */
export function printTransition(transition: Transition): string {
  const { tag } = transition;
  const [part] = partsOf(tag);
  const value = valueIn(transition, part) ?? "";
  const attributes = attributesOf(transition).map(([name, text]) => attribute(name, text));
  if (part.holds !== "text")
    return `<${tag}${attributes.join("")}>${encodeEntities(value)}</${tag}>`;
  const content = onItsLines(value);
  // Content is opaque up to its closing tag, and its blank lines at both ends do not count.
  if (content.includes(`</${tag}>`) || trimPayload(content) !== value) {
    return `<${tag}${attribute(part.name, value)}${attributes.join("")}/>`;
  }
  return `<${tag}${attributes.join("")}>${content}</${tag}>`;
}

function attribute(name: string, value: string): string {
  return ` ${name}="${encodeEntities(value)}"`;
}

/** Lines of its own, so that a code fence at an end of the payload is one. */
function onItsLines(payload: string): string {
  return payload.includes("\n") ? `\n${payload}\n` : payload;
}
