import type { Element, Reading } from "./element.ts";
import { excerptOf } from "./excerpt.ts";
import type { Fault } from "./fault.ts";
import { readElement } from "./read-element.ts";
import { TAG_TABLE } from "./tag-table.ts";
import { isStart, type Start, type Tag, type Transition, type Way } from "./transition.ts";

/** One element of an output: what it asks for, or what is wrong with it. */
export type RowItem =
  | { readonly ok: true; readonly shown: string; readonly transition: Transition }
  | { readonly ok: false; readonly shown: string; readonly fault: Fault };

/** The elements of an output in the order of its text, or why they are none at all. */
export type Row =
  | { readonly ok: true; readonly items: readonly RowItem[] }
  | { readonly ok: false; readonly fault: Fault };

export type Parsed =
  /** In the order of the text. */
  | { readonly ok: true; readonly transitions: readonly Transition[] }
  | { readonly ok: false; readonly fault: Fault };

/**
 * The elements of an output, each read by itself: any number that start an agent,
 * and at most one other (docs/protocol.md, "How many"). Whether states exist is
 * not asked here.
 */
export function readRow(reading: Reading): Row {
  const { elements, count, unclosed, oversized } = reading;
  if (oversized) return none("payload-too-large", describeOversized(unclosed));
  if (count === 0) {
    return unclosed === null
      ? none("no-tag", "No transition tag was found.")
      : none("unclosed-tag", `The tag <${unclosed}> was opened and never closed.`);
  }
  const ways = elements.filter(({ tag }) => !TAG_TABLE[tag].startsAgent);
  const starts = elements.length - ways.length;
  if (starts === 0 && count > 1) return none("several-tags", describeSeveral(elements, count));
  if (ways.length > 1) return none("several-tags", describeWays(ways));
  if (starts > MAX_STARTS) return none("malformed-tag", describeMany(count - ways.length));
  if (elements.length < count) return none("payload-too-large", TOGETHER);
  return { ok: true, items: elements.map(readItem) };
}

/**
 * What an output asks for, or all that is wrong with it, in one line. Whether its
 * states exist, and so whether two mean the same, is not asked here.
 */
export function readTransitions(reading: Reading): Parsed {
  const row = readRow(reading);
  if (!row.ok) return row;
  const fault = joinFaults(row.items);
  if (fault !== null) return { ok: false, fault };
  const transitions = row.items.flatMap((item) => (item.ok ? [item.transition] : []));
  const lost = wayFault(transitions);
  return lost === null ? { ok: true, transitions } : { ok: false, fault: lost };
}

/**
 * Why a row does not say exactly once where its own agent goes; `null` where it
 * does. Two names of one state are told apart until they are resolved.
 */
export function wayFault(transitions: readonly Transition[]): Fault | null {
  const [way] = transitions.filter((one) => !isStart(one));
  const starts = transitions.filter(isStart);
  const nexts = new Set(starts.flatMap(({ next }) => next ?? []));
  const [next, other] = nexts;
  const [first] = starts;
  if (way === undefined && next === undefined) {
    const tag = first?.tag ?? "fork";
    const message = `<${tag}> needs a next attribute, or one more tag beside it that says where to go on.`;
    return { code: "malformed-tag", message };
  }
  if (next === undefined) return null;
  if (other !== undefined) {
    const message = `The next attributes of one reply must all be the same, and not both "${next}" and "${other}".`;
    return { code: "malformed-tag", message };
  }
  if (way === undefined || (way.tag === "goto" && way.target === next)) return null;
  const message = `Where to go on is told twice, by next="${next}" and by <${way.tag}>: leave one of them out.`;
  return { code: "malformed-tag", message };
}

/** Where the agent of a row goes that says so exactly once: `next` is short for a `goto`. */
export function wayOf(transitions: readonly Transition[]): Way {
  const said = transitions.find((one): one is Way => !isStart(one));
  if (said !== undefined) return said;
  const next = startsOf(transitions).find((start) => start.next !== undefined)?.next;
  if (next === undefined) throw new Error("a row of transitions says nowhere where its agent goes");
  return { tag: "goto", target: next };
}

/** The agents that a row starts, in the order of its text. */
export function startsOf(transitions: readonly Transition[]): readonly Start[] {
  return transitions.filter(isStart);
}

/** All faults of a row as one, each with the tags that it is about; `null` where there is none. */
export function joinFaults(items: readonly RowItem[]): Fault | null {
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
  const told = [...groups].slice(0, MOST_TOLD).map(([message, alike]) => {
    const [one] = alike;
    const more = alike.length > 1 ? ` and ${String(alike.length - 1)} more like it` : "";
    return `Tag ${String(one?.number)} of ${String(items.length)}, ${one?.shown ?? ""}${more}: ${message}`;
  });
  const rest = groups.size - told.length;
  const ending = rest === 0 ? [] : [`And ${String(rest)} more faults.`];
  return { code: first.fault.code, message: [...told, ...ending].join(" ") };
}

/** How many agents one output may start. */
export const MAX_STARTS = 1_000;

/** Different faults of one output that a message tells: more would be read by nobody. */
const MOST_TOLD = 4;

const TOGETHER = "The transition tags of one reply were longer than 16 MiB in all.";

function readItem(element: Element): RowItem {
  return { ...readElement(element), shown: excerptOf(element) };
}

function describeOversized(unclosed: Tag | null): string {
  return unclosed === null
    ? "A transition tag was longer than 16 MiB."
    : `The tag <${unclosed}> was opened and not closed within 16 MiB.`;
}

function describeSeveral(elements: readonly Element[], count: number): string {
  return `${String(count)} transition tags were found (${few(elements, count)}), and exactly one is allowed.`;
}

function describeWays(ways: readonly Element[]): string {
  return `${String(ways.length)} tags say where to go on (${few(ways, ways.length)}), and exactly one may.`;
}

function describeMany(starts: number): string {
  const asked = starts.toLocaleString("en");
  return `It starts ${asked} agents, and one reply may start ${MAX_STARTS.toLocaleString("en")}: leave the others to a later one.`;
}

function few(elements: readonly Element[], count: number): string {
  const shown = elements.slice(0, 3).map(excerptOf);
  const rest = count > shown.length ? [`and ${String(count - shown.length)} more`] : [];
  return [...shown, ...rest].join(", ");
}

function none(code: Fault["code"], message: string): Row {
  return { ok: false, fault: { code, message } };
}
