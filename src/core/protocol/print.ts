import type { Transition } from "./transition.ts";

/**
 * A transition as the tag that asks for it. What is printed reads back as the
 * same transition wherever a tag can say it: no tag can hold a value with both
 * kinds of quotes, or a payload with `</result>` or blank lines at its ends.
 */
export function printTransition(transition: Transition): string {
  switch (transition.tag) {
    case "goto":
      return `<goto>${transition.target}</goto>`;
    case "reset":
      return `<reset${optional("cd", transition.cd)}>${transition.target}</reset>`;
    case "call":
    case "function":
      return `<${transition.tag}${attribute("return", transition.returnTo)}>${transition.target}</${transition.tag}>`;
    case "fork": {
      const own = attribute("next", transition.next) + optional("cd", transition.cd);
      const data = Object.entries(transition.attributes).map(([name, value]) =>
        attribute(name, value),
      );
      return `<fork${own}${data.join("")}>${transition.target}</fork>`;
    }
    case "result":
      return `<result>${onItsLines(transition.payload)}</result>`;
  }
}

function attribute(name: string, value: string): string {
  return value.includes('"') ? ` ${name}='${value}'` : ` ${name}="${value}"`;
}

function optional(name: string, value: string | undefined): string {
  return value === undefined ? "" : attribute(name, value);
}

/** Lines of its own, so that a code fence at an end of the payload is one. */
function onItsLines(payload: string): string {
  return payload.includes("\n") ? `\n${payload}\n` : payload;
}
