import { counted } from "../../language/basics/counted.ts";
import type { Destination, OutlinedMove } from "../../language/outline/outline.ts";
import { partsOf } from "../../language/protocol/parts.ts";
import { readReply } from "../../language/protocol/reply.ts";
import { TAG_TABLE } from "../../language/protocol/tag-table.ts";
import type { StateName, Tag } from "../../language/protocol/transition.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { checkedPart } from "../../language/workflow/policy/schema-name.ts";
import { afterTime, isTime } from "../graph/graph.ts";
import { destinationAs } from "../moves.ts";

/** The effect of a move: the summary of its tag, with the states of the move in place of those of the example. */
export function describeMove(move: OutlinedMove, from: StateName): string {
  const { by } = move;
  const target = nameOf(destinationAs(move, "target"));
  if (by === "on_error") return `on_error: ${target}, after a permanent failure`;
  if (by === "on_context") return `on_context: ${target}, if the conversation is too large`;
  return [`${by}: ${summaryOf(by, move, from)}`, ...conditionsOf(move)].join("; ");
}

function summaryOf(tag: Tag, move: OutlinedMove, from: StateName): string {
  const [example] = readReply(TAG_TABLE[tag].example).elements;
  const names = new Map<string, string>([["A", stemOf(from)]]);
  const data: string[] = [];
  for (const [name, shown] of [
    ["target", example?.content ?? ""] as const,
    ...(example?.attributes ?? []),
  ]) {
    const part = partsOf(tag).find((one) => one.name === name);
    if (part === undefined) data.push(name);
    else if (part.holds === "state") names.set(shown, nameOf(destinationAs(move, part.name)));
    else if (part.holds === "workflow")
      names.set(shown.split("/").at(-1) ?? shown, move.values[part.name] ?? OPEN);
  }
  const given = dataOf(tag, move);
  return TAG_TABLE[tag].summary
    .replaceAll(/ with \{\{(\w+)\}\}/g, (said, name: string) => {
      if (!data.includes(name)) return said;
      return given.length === 0 ? "" : ` with ${given.map((one) => `{{${one}}}`).join(", ")}`;
    })
    .replaceAll(/[\w-]+/g, (word) => names.get(word) ?? word);
}

/** Undefined if another tag names the next state of the agent. */
function nameOf(destination: Destination | undefined): string {
  if (destination === undefined) return "the agent";
  const { state, written } = destination;
  if (state !== null) return stemOf(state);
  return written === null ? OPEN : `${written} (not found)`;
}

const OPEN = "a state that is known only at run time";

/** Names of the data for a new agent. */
function dataOf(tag: Tag, { values }: OutlinedMove): readonly string[] {
  if (!TAG_TABLE[tag].startsAgent) return [];
  const own = partsOf(tag).map(({ name }) => name as string);
  return Object.keys(values).filter((name) => !own.includes(name));
}

/** Conditions and alternatives of a move. */
function conditionsOf(move: OutlinedMove): readonly string[] {
  const { delay, payload, frames, min, timeout, options } = move.values;
  const late = destinationAs(move, "timeout_next");
  const gate = destinationAs(move, "verify");
  const onFail = destinationAs(move, "on_fail");
  const attempts = move.rule?.verify?.attempts ?? 0;
  const isAnswer = move.origin === "declared" && payload !== undefined;
  return [
    ...(isAnswer ? [`the payload is ${payload}`] : []),
    ...describeSchema(move),
    ...(delay === undefined ? [] : [isTime(delay) ? afterTime(delay) : "after a delay"]),
    ...(frames === "keep" ? ["keeps the return stack"] : []),
    ...(min === undefined ? [] : [`${min} of them are enough`]),
    ...(options === undefined ? [] : [`answers: ${options.replaceAll("|", ", ")}`]),
    ...(late === undefined ? [] : [`${afterTime(timeout)}: ${nameOf(late)}`]),
    ...(gate === undefined
      ? []
      : [`only if ${nameOf(gate)} passes, at most ${counted(attempts, "run")}`]),
    ...(onFail === undefined ? [] : [`else ${nameOf(onFail)}`]),
  ];
}

function describeSchema({ rule }: OutlinedMove): readonly string[] {
  if (rule?.schema === undefined) return [];
  const part = checkedPart(rule.tag);
  const what = part === "return" ? "returned result" : part;
  return [`the ${String(what)} must match ${rule.schema}`];
}
