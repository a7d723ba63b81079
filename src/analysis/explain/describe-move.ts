import { counted } from "../../language/basics/counted.ts";
import type { Destination, OutlinedMove } from "../../language/outline/outline.ts";
import { partsOf } from "../../language/protocol/parts.ts";
import { readReply } from "../../language/protocol/reply.ts";
import { TAG_TABLE } from "../../language/protocol/tag-table.ts";
import type { StateName, Tag } from "../../language/protocol/transition.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { destinationAs } from "../graph/flow.ts";
import { afterTime, isTime } from "../graph/label.ts";

/**
 * What a move does, in the words in which its tag is declared: the states of
 * the workflow stand where the summary of the tag has those of its example.
 */
export function describeMove(move: OutlinedMove, from: StateName): string {
  const { by } = move;
  if (by === "on_error") return `on_error: ${targetOf(move)}, when it has failed for good`;
  if (by === "on_context")
    return `on_context: ${targetOf(move)}, when the conversation is too large`;
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
    else if (part.holds === "workflow") names.set(lastPart(shown), move.values[part.name] ?? OPEN);
  }
  const given = dataOf(tag, move);
  return TAG_TABLE[tag].summary
    .replaceAll(/ with \{\{(\w+)\}\}/g, (said, name: string) => {
      if (!data.includes(name)) return said;
      return given.length === 0 ? "" : ` with ${given.map((one) => `{{${one}}}`).join(", ")}`;
    })
    .replaceAll(/[\w-]+/g, (word) => names.get(word) ?? word);
}

/** Where the tag does not say where its own agent goes, another one does. */
function nameOf(destination: Destination | undefined): string {
  if (destination === undefined) return "the agent";
  const { state, written } = destination;
  if (state !== null) return stemOf(state);
  return written === null ? OPEN : `${written} (which is not there)`;
}

const OPEN = "a place that only a run tells";

function targetOf(move: OutlinedMove): string {
  return nameOf(destinationAs(move, "target"));
}

/** Names of the data that a new agent is given. */
function dataOf(tag: Tag, { values }: OutlinedMove): readonly string[] {
  if (!TAG_TABLE[tag].startsAgent) return [];
  const own = partsOf(tag).map(({ name }) => name as string);
  return Object.keys(values).filter((name) => !own.includes(name));
}

/** What else is said of the move: when it applies, and what else may come of it. */
function conditionsOf(move: OutlinedMove): readonly string[] {
  const { delay, payload, frames, min, timeout, options } = move.values;
  const late = destinationAs(move, "timeout_next");
  const gate = destinationAs(move, "verify");
  const giveUp = destinationAs(move, "on_fail");
  const attempts = move.rule?.verify?.attempts ?? 0;
  const isAnswer = move.origin === "declared" && payload !== undefined;
  return [
    ...(isAnswer ? [`the answer is ${payload}`] : []),
    ...(delay === undefined ? [] : [isTime(delay) ? afterTime(delay) : "later"]),
    ...(frames === "keep" ? ["its callers are kept"] : []),
    ...(min === undefined ? [] : [`${min} of them are enough`]),
    ...(options === undefined ? [] : [`one of ${options.replaceAll("|", ", ")}`]),
    ...(late === undefined ? [] : [`${afterTime(timeout)}: ${nameOf(late)}`]),
    ...(gate === undefined
      ? []
      : [`only when ${nameOf(gate)} passes, ${counted(attempts, "run")} at most`]),
    ...(giveUp === undefined ? [] : [`else ${nameOf(giveUp)}`]),
  ];
}

function lastPart(path: string): string {
  return path.split("/").at(-1) ?? path;
}
