import type { Fault } from "../../protocol/fault.ts";
import { TAG_TABLE } from "../../protocol/tag-table.ts";
import { explainPlaceholders, explainSchemas, isComplete, printRules } from "./policy.ts";
import type { Rule } from "./rule.ts";

/** Bytes of a fault's message in a reminder; the rest of the text is under 400. */
const MAX_FAULT_BYTES = 600;

/**
 * The prompt after an invalid reply: the fault, and the allowed transitions, one per line. Under 1 KB
 * without that list (docs/protocol.md, "Invalid output").
 */
export function reminderText(fault: Fault, rules: readonly Rule[]): string {
  return [
    `Your last message did not end this step. ${harmless(fault.message)}`,
    "Do not repeat the work. Reply with exactly one of these transition tags:",
    ...menu(rules),
  ].join("\n\n");
}

/** The prompt after a failed gate, with the output of the gate (docs/protocol.md, "Gates"). */
export function gateText(
  { problem, said }: { readonly problem: string; readonly said: string },
  rules: readonly Rule[] | null,
): string {
  const found =
    said.trim() === "" ? "It printed nothing." : `The end of its output:\n\n${said.trimEnd()}`;
  const opening = `The transition in your last message did not pass its check. ${problem} ${found}`;
  const again = "Fix the problem, then end your final message with";
  if (rules === null) {
    return `${opening}\n\n${again} exactly one transition tag, as described in the instructions above.`;
  }
  return [opening, `${again} exactly one of these transition tags:`, ...menu(rules)].join("\n\n");
}

/**
 * The prompt after a decision about denied tool calls, one line each (docs/permissions.md, "Denied tool
 * calls").
 */
export function permissionText(
  allowed: readonly string[],
  denied: readonly string[],
  rules: readonly Rule[] | null,
): string {
  const listed = (heading: string, calls: readonly string[]) =>
    calls.length === 0 ? [] : [[heading, ...calls.map((call) => `- ${harmless(call)}`)].join("\n")];
  return [
    ...listed(
      "These tool calls were denied before and are allowed now, exactly as you wrote them:",
      allowed,
    ),
    ...listed("These tool calls are denied. Do not try them again:", denied),
    "Continue with the instructions above. Make the allowed calls again if you still need them, and finish the rest without the denied ones.",
    ...ending(rules),
  ].join("\n\n");
}

/** The prompt that continues a conversation after an interruption (docs/budgets.md, docs/durability.md). */
export function continuationText(
  reason: "interrupted" | "capped",
  rules: readonly Rule[] | null,
): string {
  return [CUT_OFF[reason], ...ending(rules)].join("\n\n");
}

function ending(rules: readonly Rule[] | null): readonly string[] {
  if (rules === null) {
    return [
      "End your final message with exactly one transition tag, as described in the instructions above.",
    ];
  }
  return [
    "When the work is done, end your final message with exactly one of these transition tags:",
    ...menu(rules),
  ];
}

const CUT_OFF = {
  interrupted:
    "You were interrupted while working on the instructions above. Continue where you stopped. Check what is already done before you repeat it.",
  capped:
    "Your last turn was cut off before this step ended. Continue where you stopped. Do not start over.",
} as const;

function menu(rules: readonly Rule[]): readonly string[] {
  const tags = printRules(rules).join("\n");
  const starts = rules.filter(({ tag }) => TAG_TABLE[tag].startsAgent);
  return [
    tags,
    ...(starts.length === 0 ? [] : [explainStarts(starts)]),
    ...explainSchemas(rules),
    ...(rules.every(isComplete) ? [] : [explainPlaceholders()]),
  ];
}

/** A reply can contain several tags that start an agent. */
function explainStarts(rules: readonly Rule[]): string {
  const tags = [...new Set(rules.map(({ tag }) => `<${tag}>`))].join(" or ");
  return `You may repeat ${tags}, once for each agent to start: all with the same next, or one other of these tags instead of next.`;
}

/** Shortens a message that quotes a model, and replaces @ at word starts: it would attach a file. */
function harmless(message: string): string {
  const safe = message.replace(/(^|\s)@/g, "$1(at)");
  const { read } = new TextEncoder().encodeInto(safe, new Uint8Array(MAX_FAULT_BYTES));
  return read === safe.length ? safe : `${safe.slice(0, read)}…`;
}
