import { attributeNameProblem, attributeValueProblem } from "./attributes.ts";
import type { Element, Reading } from "./element.ts";
import { excerpt, excerptOf } from "./excerpt.ts";
import type { Fault, FaultCode } from "./fault.ts";
import { partsOf, transitionOf, type Values } from "./parts.ts";
import { trimPayload } from "./payload.ts";
import { TAG_TABLE } from "./tag-table.ts";
import type { Part, StateName, Tag, Transition } from "./transition.ts";

export type Parsed =
  | { readonly ok: true; readonly transition: Transition }
  | { readonly ok: false; readonly fault: Fault };

/**
 * The one transition that an output asks for, or what is wrong with it, in one
 * sentence (docs/protocol.md, "Malformed tags"). Whether its states exist is not
 * asked here.
 */
export function readTransition(reading: Reading): Parsed {
  const { elements, count, unclosed, oversized } = reading;
  if (oversized) return faulty("payload-too-large", describeOversized(unclosed));
  const [element] = elements;
  if (count === 0 || element === undefined) {
    return unclosed === null
      ? faulty("no-tag", "No transition tag was found.")
      : faulty("unclosed-tag", `The tag <${unclosed}> was opened and never closed.`);
  }
  if (count > 1) return faulty("several-tags", describeSeveral(elements, count));
  return readElement(element);
}

function readElement(element: Element): Parsed {
  const { tag } = element;
  const problem = attributesProblem(element);
  if (problem !== null) return faulty("malformed-tag", problem);

  const [content, ...own] = partsOf(tag);
  const written = new Map(element.attributes);
  const values: { -readonly [F in keyof Values]: Values[F] } = {};
  if (content.holds === "state") {
    const target = element.content.trim();
    const wrong = stateProblem(`${content.name} of <${tag}>`, target);
    if (wrong !== null) return faulty("malformed-tag", wrong);
    values[content.field] = target;
  } else {
    values[content.field] = trimPayload(element.content);
  }
  for (const part of own) {
    const value = written.get(part.name);
    if (value === undefined) continue;
    const wrong = valueProblem(`${part.name} attribute of <${tag}>`, part, value);
    if (wrong !== null) return faulty("malformed-tag", wrong);
    values[part.field] = value;
  }
  const data = element.attributes.filter(([name]) => !own.some((part) => part.name === name));
  return { ok: true, transition: transitionOf(tag, values, Object.fromEntries(data)) };
}

/** What is wrong with the attributes as such; the states that they name come later. */
function attributesProblem({ tag, attributes, problem }: Element): string | null {
  if (problem !== undefined) return `<${tag}> is malformed: ${problem}.`;
  const [, ...own] = partsOf(tag);
  const seen = new Set<string>();
  for (const [name, value] of attributes) {
    if (seen.has(name)) return `<${tag}> has the attribute ${excerpt(name)} more than once.`;
    seen.add(name);
    if (own.some((part) => part.name === name)) continue;
    const wrong = dataProblem(tag, name, value);
    if (wrong !== null) return wrong;
  }
  const missing = own.find((part) => part.required && !seen.has(part.name));
  return missing === undefined ? null : `<${tag}> needs a ${missing.name} attribute.`;
}

/** What is wrong with an attribute that is not the tag's own. */
function dataProblem(tag: Tag, name: string, value: string): string | null {
  if (!TAG_TABLE[tag].takesData) return `<${tag}> does not take the attribute ${excerpt(name)}.`;
  const wrong = attributeNameProblem(name);
  if (wrong !== null) return wrong;
  const unfit = attributeValueProblem(value);
  if (unfit === null) return null;
  return `The attribute ${excerpt(name)} of <${tag}> is malformed: ${unfit.replace("The", "the")}`;
}

/** What is wrong with the value of an attribute of a tag's own, by what it holds. */
function valueProblem(what: string, part: Part, value: string): string | null {
  switch (part.holds) {
    case "state":
      return stateProblem(what, value);
    case "choice": {
      const problem = choiceProblem(part.choices, value);
      return problem && `The ${what} ${problem}.`;
    }
    case "folder":
    case "text":
      return null;
  }
}

/** Why a value is none of these, as the end of a sentence; `null` where it is one. */
export function choiceProblem(choices: readonly string[], value: string): string | null {
  if (choices.includes(value)) return null;
  return `must be ${choices.join(" or ")}, and not "${excerpt(value)}"`;
}

function stateProblem(what: string, name: StateName): string | null {
  if (name.trim() === "") return `The ${what} is empty.`;
  if (name === "." || name === ".." || /[/\\\0]/.test(name)) {
    return `The ${what} must be the name of a state, without folders, and not "${excerpt(name)}".`;
  }
  return null;
}

function describeOversized(unclosed: Tag | null): string {
  return unclosed === null
    ? "A transition tag was longer than 16 MiB."
    : `The tag <${unclosed}> was opened and not closed within 16 MiB.`;
}

function describeSeveral(elements: readonly Element[], count: number): string {
  const shown = elements.slice(0, 3).map(excerptOf);
  const rest = count > shown.length ? [`and ${String(count - shown.length)} more`] : [];
  return `${String(count)} transition tags were found (${[...shown, ...rest].join(", ")}), and exactly one is allowed.`;
}

function faulty(code: FaultCode, message: string): Parsed {
  return { ok: false, fault: { code, message } };
}
