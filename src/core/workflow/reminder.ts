import type { Fault } from "../protocol/fault.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import { explainPlaceholders, isComplete, printRules } from "./policy.ts";
import type { Rule } from "./rule.ts";

/** Bytes of a fault's message that a reminder repeats; the rest of it is under 400. */
const MOST_BYTES = 600;

/**
 * What a model is told whose reply was no valid transition, in the session that
 * it just used: what was wrong, and the allowed transitions, one a line. Under
 * 1 KB beyond that list (docs/protocol.md, "When there is no valid transition").
 */
export function reminderText(fault: Fault, rules: readonly Rule[]): string {
  return [
    `Your last message did not end this step. ${harmless(fault.message)}`,
    "Do not repeat the work. Reply with exactly one of these transition tags:",
    ...menu(rules),
  ].join("\n\n");
}

/**
 * What a model is told whose transition a gate did not let through, in the session
 * that it just used (docs/protocol.md, "Gates"). What the gate printed stands as it is.
 */
export function gateText(
  { problem, said }: { readonly problem: string; readonly said: string },
  rules: readonly Rule[] | null,
): string {
  const found =
    said.trim() === ""
      ? "It printed nothing."
      : `This is the end of what it printed:\n\n${said.trimEnd()}`;
  const opening = `Your last message asked for a transition that is checked first. ${problem} ${found}`;
  const again = "Mend what is wrong, then end your final message with";
  if (rules === null) {
    return `${opening}\n\n${again} exactly one transition tag, as the instructions above ask.`;
  }
  return [opening, `${again} exactly one of these transition tags:`, ...menu(rules)].join("\n\n");
}

/**
 * The note into a conversation that was cut off, by a stop or for the budget:
 * it goes on where it was (docs/budgets.md, docs/durability.md). Without rules the prompt
 * above has said which tags there are.
 */
export function continuationText(
  reason: "interrupted" | "capped",
  rules: readonly Rule[] | null,
): string {
  const opening = CUT_OFF[reason];
  if (rules === null) {
    return `${opening}\n\nEnd your final message with exactly one transition tag, as the instructions above ask.`;
  }
  return [
    opening,
    "When the work is done, end your final message with exactly one of these transition tags:",
    ...menu(rules),
  ].join("\n\n");
}

const CUT_OFF = {
  interrupted:
    "You were interrupted while you worked on the instructions above. Go on where you were; check what is already done before you do it again.",
  capped:
    "Your last turn was cut off before this step had ended. Go on where you were; do not begin again.",
} as const;

function menu(rules: readonly Rule[]): readonly string[] {
  const tags = printRules(rules).join("\n");
  const starts = rules.filter(({ tag }) => TAG_TABLE[tag].startsAgent);
  return [
    tags,
    ...(starts.length === 0 ? [] : [explainStarts(starts)]),
    ...(rules.every(isComplete) ? [] : [explainPlaceholders()]),
  ];
}

/** Of the tags that start an agent more than one may stand in a reply. */
function explainStarts(rules: readonly Rule[]): string {
  const tags = [...new Set(rules.map(({ tag }) => `<${tag}>`))].join(" or ");
  return `You may repeat ${tags}, once for each agent to start, all with the same next, or with one other of these tags in place of next.`;
}

/** A fault quotes what a model wrote: it is kept short, and must not attach a file. */
function harmless(message: string): string {
  const safe = message.replace(/(^|\s)@/g, "$1(at)");
  const { read } = new TextEncoder().encodeInto(safe, new Uint8Array(MOST_BYTES));
  return read === safe.length ? safe : `${safe.slice(0, read)}…`;
}
