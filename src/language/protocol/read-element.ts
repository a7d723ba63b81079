import { parseDuration } from "../basics/duration.ts";
import { nearest } from "../basics/nearest.ts";
import { workflowPathProblem } from "./address.ts";
import type { OrFault } from "./fault.ts";
import { optionsProblem } from "./options.ts";
import { companionOf, mustNotBeEmpty, partsOf, transitionOf, type Values } from "./parts.ts";
import { trimPayload } from "./payload.ts";
import { attributeNameProblem, attributeValueProblem } from "./scan/attributes.ts";
import type { Element } from "./scan/element.ts";
import { decodeEntities } from "./scan/entities.ts";
import { excerpt } from "./scan/excerpt.ts";
import { TAG_TABLE } from "./tag-table.ts";
import type { Part, StateName, Tag, Transition } from "./transition.ts";
import { worktreeProblem } from "./worktree-name.ts";

export type ReadElement = OrFault<{ readonly transition: Transition }>;

/**
 * Converts an element to a transition (docs/protocol.md, "Malformed tags"). Does not check other
 * elements of the output or whether states exist.
 */
export function readElement(element: Element): ReadElement {
  const { tag } = element;
  const problem = attributesProblem(element);
  if (problem !== null) return malformed(problem);

  const [content, ...own] = partsOf(tag);
  const written = new Map(element.attributes);
  const values: { -readonly [F in keyof Values]: Values[F] } = {};
  if (content.holds !== "text") {
    const target = decodeEntities(element.content.trim());
    const wrong = partProblem(content, target);
    if (wrong !== null) return malformed(`The ${content.name} of <${tag}> ${wrong}.`);
    values[content.field] = target;
  } else {
    const literal = written.get(content.name);
    if (literal !== undefined && element.content.trim() !== "") {
      return malformed(
        `<${tag}> has both a ${content.name} attribute and content. Use only one of them.`,
      );
    }
    const text = literal ?? trimPayload(element.content);
    if (mustNotBeEmpty(content) && text.trim() === "") {
      return malformed(`The ${content.name} of <${tag}> is empty.`);
    }
    values[content.field] = text;
  }
  for (const part of own) {
    const value = written.get(part.name);
    if (value === undefined) continue;
    const wrong = partProblem(part, value);
    if (wrong !== null) return malformed(`The ${part.name} attribute of <${tag}> ${wrong}.`);
    values[part.field] = value;
  }
  const data = element.attributes.filter(([name]) => !isOwn(tag, name));
  return { ok: true, transition: transitionOf(tag, values, Object.fromEntries(data)) };
}

function attributesProblem({ tag, attributes, problem }: Element): string | null {
  if (problem !== undefined) return `<${tag}> is malformed: ${problem}.`;
  const [, ...own] = partsOf(tag);
  const seen = new Set<string>();
  for (const [name, value] of attributes) {
    if (seen.has(name)) return `<${tag}> has a duplicate attribute ${excerpt(name)}.`;
    seen.add(name);
    if (isOwn(tag, name)) continue;
    const wrong = dataProblem(tag, name, value);
    if (wrong !== null) return wrong;
  }
  const single = own.find(
    (part) => seen.has(part.name) && !seen.has(companionOf(part) ?? part.name),
  );
  if (single !== undefined) {
    return `<${tag}> has ${single.name} but no ${companionOf(single) ?? ""}. Use both or neither.`;
  }
  const missing = own.find((part) => part.required === true && !seen.has(part.name));
  return missing === undefined ? null : `<${tag}> requires the attribute ${missing.name}.`;
}

/** Whether a tag declares this attribute. Text content can be an attribute too (docs/protocol.md, "Entities"). */
function isOwn(tag: Tag, name: string): boolean {
  const [content, ...own] = partsOf(tag);
  return (
    own.some((part) => part.name === name) || (content.holds === "text" && content.name === name)
  );
}

function dataProblem(tag: Tag, name: string, value: string): string | null {
  if (!TAG_TABLE[tag].startsAgent) {
    const [, ...own] = partsOf(tag);
    const guess = nearest(
      name,
      own.map((part) => part.name),
    );
    const question = guess === null ? "" : ` Did you mean ${guess}?`;
    return `Unknown attribute ${excerpt(name)} of <${tag}>.${question}`;
  }
  const wrong = attributeNameProblem(name);
  if (wrong !== null) return wrong;
  const unfit = attributeValueProblem(value);
  if (unfit === null) return null;
  return `Invalid attribute ${excerpt(name)} of <${tag}>: ${unfit.replace("The", "the")}`;
}

/** Why a part cannot have this value, as the end of a sentence; null if it can. */
export function partProblem(part: Part, value: string): string | null {
  switch (part.holds) {
    case "state":
      return stateProblem(value);
    case "workflow":
      return workflowPathProblem(value);
    case "choice":
      if (part.choices.some((choice) => choice === value)) return null;
      return `must be ${part.choices.join(" or ")}, not "${excerpt(value)}"`;
    case "duration":
      return durationProblem(value);
    case "count":
      if (/^\d{1,6}$/.test(value)) return null;
      return `must be a non-negative integer, not "${excerpt(value)}"`;
    case "options":
      return optionsProblem(value);
    case "worktree":
      return worktreeProblem(value);
    case "folder":
    case "text":
      return null;
  }
}

function durationProblem(value: string): string | null {
  const ms = parseDuration(value);
  if (ms !== null && ms > 0 && ms <= LONGEST_MS) return null;
  return `must be a duration above 0 and up to 30d, such as 90s, 5m or 2h, not "${excerpt(value)}"`;
}

/** 30 days. */
const LONGEST_MS = 30 * 86_400_000;

function stateProblem(name: StateName): string | null {
  if (name.trim() === "") return "is empty";
  if (name !== "." && name !== ".." && !/[/\\\0]/.test(name)) return null;
  return `must be the name of a state without folders, not "${excerpt(name)}"`;
}

function malformed(message: string): ReadElement {
  return { ok: false, fault: { code: "malformed-tag", message } };
}
