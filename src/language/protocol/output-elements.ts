import type { Fault, OrFault } from "./fault.ts";
import { type ReadElement, readElement } from "./read-element.ts";
import type { Element, ScanResult } from "./scan/element.ts";
import { excerptOf } from "./scan/excerpt.ts";
import { TAG_TABLE } from "./tag-table.ts";
import { type Continuation, isStart, type Start, type Tag, type Transition } from "./transition.ts";

/** One element of an output: its transition or its fault. `shown` is an excerpt for messages. */
export type OutputElement = ReadElement & { readonly shown: string };

/** The elements of an output in their order, or why there are none. */
export type OutputElements = OrFault<{ readonly items: readonly OutputElement[] }>;

export type Parsed = OrFault<{ readonly transitions: readonly Transition[] }>;

/**
 * Reads each element of an output: up to {@link MAX_STARTS} that start an agent, and at most one
 * other (docs/protocol.md, "Number of tags"). Does not check whether states exist.
 */
export function readElements(reading: ScanResult): OutputElements {
  const { elements, count, unclosed, oversized } = reading;
  if (oversized) return none("payload-too-large", describeOversized(unclosed));
  if (count === 0) {
    return unclosed === null
      ? none("no-tag", "No transition tag found.")
      : none("unclosed-tag", `The tag <${unclosed}> is never closed.`);
  }
  const continuations = elements.filter(({ tag }) => !TAG_TABLE[tag].startsAgent);
  const starts = elements.length - continuations.length;
  if (starts === 0 && count > 1) return none("several-tags", describeSeveral(elements, count));
  if (continuations.length > 1) return none("several-tags", describeContinuations(continuations));
  if (starts > MAX_STARTS) return none("malformed-tag", describeMany(count - continuations.length));
  if (elements.length < count) return none("payload-too-large", TOGETHER);
  return {
    ok: true,
    items: elements.map((each) => ({ ...readElement(each), shown: excerptOf(each) })),
  };
}

/** The transitions of an output, or all its faults as one. Does not check whether states exist. */
export function readTransitions(reading: ScanResult): Parsed {
  const row = readElements(reading);
  if (!row.ok) return row;
  const fault = joinFaults(row.items);
  if (fault !== null) return { ok: false, fault };
  const transitions = row.items.flatMap((item) => (item.ok ? [item.transition] : []));
  const missing = continuationFault(transitions);
  return missing === null ? { ok: true, transitions } : { ok: false, fault: missing };
}

/**
 * Why the transitions do not have exactly one continuation of their own agent; null if they have.
 * Compares names as written: two names of one state differ until they are resolved.
 */
export function continuationFault(transitions: readonly Transition[]): Fault | null {
  const [continuation] = transitions.filter((one) => !isStart(one));
  const starts = transitions.filter(isStart);
  const nexts = new Set(starts.flatMap(({ next }) => next ?? []));
  const [next, other] = nexts;
  const [first] = starts;
  if (continuation === undefined && next === undefined) {
    const tag = first?.tag ?? "fork";
    const message = `<${tag}> requires the attribute next, or another tag for the next state of the agent.`;
    return { code: "malformed-tag", message };
  }
  if (next === undefined) return null;
  if (other !== undefined) {
    const message = `All next attributes of one reply must be the same, but found "${next}" and "${other}".`;
    return { code: "malformed-tag", message };
  }
  if (continuation === undefined) return null;
  if (continuation.tag === "goto" && continuation.target === next) return null;
  const message = `The next state is given twice, by next="${next}" and by <${continuation.tag}>. Remove one of them.`;
  return { code: "malformed-tag", message };
}

/** The continuation of valid transitions. `next` is short for a `goto`. */
export function continuationOf(transitions: readonly Transition[]): Continuation {
  const explicit = transitions.find((one): one is Continuation => !isStart(one));
  if (explicit !== undefined) return explicit;
  const next = startsOf(transitions).find((start) => start.next !== undefined)?.next;
  if (next === undefined) throw new Error("transitions without a continuation");
  return { tag: "goto", target: next };
}

export function startsOf(transitions: readonly Transition[]): readonly Start[] {
  return transitions.filter(isStart);
}

/** All faults as one, each with an excerpt of its tag; null if there is none. */
export function joinFaults(items: readonly OutputElement[]): Fault | null {
  const faults = items.flatMap((item, index) =>
    item.ok ? [] : [{ number: index + 1, shown: item.shown, fault: item.fault }],
  );
  const [first] = faults;
  if (first === undefined) return null;
  if (items.length === 1) return first.fault;
  const groups = new Map<string, typeof faults>();
  for (const one of faults) {
    groups.set(one.fault.message, [...(groups.get(one.fault.message) ?? []), one]);
  }
  const reported = [...groups].slice(0, MAX_REPORTED_FAULTS).map(([message, alike]) => {
    const [one] = alike;
    const more = alike.length > 1 ? ` and ${String(alike.length - 1)} more` : "";
    return `Tag ${String(one?.number)} of ${String(items.length)}, ${one?.shown ?? ""}${more}: ${message}`;
  });
  const rest = groups.size - reported.length;
  const ending = rest === 0 ? [] : [`And ${String(rest)} more.`];
  return { code: first.fault.code, message: [...reported, ...ending].join(" ") };
}

/** Agents that one output may start. */
export const MAX_STARTS = 1_000;

/** Different faults in one message. */
const MAX_REPORTED_FAULTS = 4;

const TOGETHER = "The transition tags of this reply exceed 16 MiB in total.";

function describeOversized(unclosed: Tag | null): string {
  return unclosed === null
    ? "A transition tag exceeds 16 MiB."
    : `The tag <${unclosed}> is not closed within 16 MiB.`;
}

function describeSeveral(elements: readonly Element[], count: number): string {
  return `Found ${String(count)} transition tags (${few(elements, count)}). Exactly one is allowed.`;
}

function describeContinuations(continuations: readonly Element[]): string {
  return `Found ${String(continuations.length)} tags that continue the agent (${few(continuations, continuations.length)}). Exactly one is allowed.`;
}

function describeMany(starts: number): string {
  const asked = starts.toLocaleString("en");
  return `The reply starts ${asked} agents. One reply may start ${MAX_STARTS.toLocaleString("en")}: start the others in a later step.`;
}

function few(elements: readonly Element[], count: number): string {
  const shown = elements.slice(0, 3).map(excerptOf);
  const rest = count > shown.length ? [`and ${String(count - shown.length)} more`] : [];
  return [...shown, ...rest].join(", ");
}

function none(code: Fault["code"], message: string): OutputElements {
  return { ok: false, fault: { code, message } };
}
