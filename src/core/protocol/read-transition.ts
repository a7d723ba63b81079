import { attributeNameProblem, attributeValueProblem } from "./attributes.ts";
import type { Element, Reading } from "./element.ts";
import { excerpt, excerptOf } from "./excerpt.ts";
import type { Fault, FaultCode } from "./fault.ts";
import { trimPayload } from "./payload.ts";
import type { StateName, Tag, Transition } from "./transition.ts";

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

  const values = new Map(element.attributes);
  const target = element.content.trim();
  const broken = tag === "result" ? null : stateProblem(`target of <${tag}>`, target);
  if (broken !== null) return faulty("malformed-tag", broken);

  switch (tag) {
    case "goto":
      return read({ tag, target });
    case "reset":
      return read({ tag, target, ...folderOf(values) });
    case "call":
    case "function": {
      const returnTo = values.get("return") ?? "";
      const wrong = stateProblem(`return attribute of <${tag}>`, returnTo);
      return wrong === null ? read({ tag, target, returnTo }) : faulty("malformed-tag", wrong);
    }
    case "fork": {
      const next = values.get("next") ?? "";
      const wrong = stateProblem("next attribute of <fork>", next);
      if (wrong !== null) return faulty("malformed-tag", wrong);
      const data = element.attributes.filter(([name]) => name !== "next" && name !== "cd");
      const attributes = Object.fromEntries(data);
      return read({ tag, target, next, ...folderOf(values), attributes });
    }
    case "result":
      return read({ tag, payload: trimPayload(element.content) });
  }
}

/** What is wrong with the attributes as such; the states that they name come later. */
function attributesProblem({ tag, attributes, problem }: Element): string | null {
  if (problem !== undefined) return `<${tag}> is malformed: ${problem}.`;
  const { required, taken } = TAKES[tag];
  const seen = new Set<string>();
  for (const [name, value] of attributes) {
    if (seen.has(name)) return `<${tag}> has the attribute ${excerpt(name)} more than once.`;
    seen.add(name);
    if (taken.includes(name)) continue;
    if (tag !== "fork") return `<${tag}> does not take the attribute ${excerpt(name)}.`;
    const wrong = attributeNameProblem(name);
    if (wrong !== null) return wrong;
    const unfit = attributeValueProblem(value);
    if (unfit !== null) {
      return `The attribute ${excerpt(name)} of <fork> is malformed: ${unfit.replace("The", "the")}`;
    }
  }
  if (required !== null && !seen.has(required)) return `<${tag}> needs a ${required} attribute.`;
  return null;
}

/** What each tag takes; `fork` takes data besides. */
const TAKES: {
  readonly [T in Tag]: { readonly required: string | null; readonly taken: readonly string[] };
} = {
  goto: { required: null, taken: [] },
  reset: { required: null, taken: ["cd"] },
  call: { required: "return", taken: ["return"] },
  function: { required: "return", taken: ["return"] },
  fork: { required: "next", taken: ["next", "cd"] },
  result: { required: null, taken: [] },
};

function stateProblem(what: string, name: StateName): string | null {
  if (name.trim() === "") return `The ${what} is empty.`;
  if (name === "." || name === ".." || /[/\\\0]/.test(name)) {
    return `The ${what} must be the name of a state, without folders, and not "${excerpt(name)}".`;
  }
  return null;
}

function folderOf(values: ReadonlyMap<string, string>): { readonly cd?: string } {
  const cd = values.get("cd");
  return cd === undefined ? {} : { cd };
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

function read(transition: Transition): Parsed {
  return { ok: true, transition };
}

function faulty(code: FaultCode, message: string): Parsed {
  return { ok: false, fault: { code, message } };
}
