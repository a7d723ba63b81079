import { attributesOf, partsOf, valueIn } from "./parts.ts";
import { trimPayload } from "./payload.ts";
import { encodeEntities } from "./scan/entities.ts";
import type { Transition } from "./transition.ts";

/** Prints a transition as a tag that parses to the same transition. */
export function printTransition(transition: Transition): string {
  const { tag } = transition;
  const [part] = partsOf(tag);
  const value = valueIn(transition, part) ?? "";
  const attributes = attributesOf(transition).map(([name, text]) => attribute(name, text));
  if (part.holds !== "text")
    return `<${tag}${attributes.join("")}>${encodeEntities(value)}</${tag}>`;
  const content = onItsLines(value);
  // Content cannot contain its closing tag, and loses blank lines at both ends.
  if (content.includes(`</${tag}>`) || trimPayload(content) !== value) {
    return `<${tag}${attribute(part.name, value)}${attributes.join("")}/>`;
  }
  return `<${tag}${attributes.join("")}>${content}</${tag}>`;
}

function attribute(name: string, value: string): string {
  return ` ${name}="${encodeEntities(value)}"`;
}

/** Separate lines, so that a code fence at either end of the payload is recognized. */
function onItsLines(payload: string): string {
  return payload.includes("\n") ? `\n${payload}\n` : payload;
}
