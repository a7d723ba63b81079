import { toMicroUsd } from "../../language/basics/money.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { type Denial, readableArgument } from "../../machine/model/denial.ts";
import { BadSimulationError } from "./errors.ts";
import {
  FAILURES,
  type ScriptedAnswer,
  type ScriptedReply,
  type ScriptedState,
  type Simulation,
} from "./scenario.ts";
import { answerSchema, type Draft, draftSchema, KEYS } from "./schema.ts";
import { type LocatedYaml, type Path, readAs, readYaml } from "./yaml.ts";

/** Default cost of a reply, so that budgets can be tested. */
export const DEFAULT_COST_USD = 0.01;

/** Parses a `*.sim.yaml`. `file`: for messages. Throws a BadSimulationError with line, column and field. */
export function parseSimulation(file: string, text: string): Simulation {
  const yaml = readYaml(file, text, (...why) => new BadSimulationError(...why));
  const top = yaml.section([], ["states"]);
  if (!("states" in top)) throw yaml.fault([], 'the key "states" is missing.');
  const states = new Map<string, ScriptedState>();
  const answers = new Map<string, readonly ScriptedAnswer[]>();
  for (const key of Object.keys(yaml.section(["states"]))) {
    const path = ["states", key];
    const name = stateName(yaml, path, key);
    if (answers.has(name)) throw yaml.fault(path, `${name} stands here twice.`);
    if (stateKind(name) === "script") {
      answers.set(name, readItems(yaml, path, "answers", readAnswer));
      continue;
    }
    const replies = readItems(yaml, path, "replies", readScripted);
    states.set(name, { line: yaml.placeOf(path).line, replies });
    answers.set(name, replies.map(answerOf));
  }
  return { file, states, answers };
}

/** The reply to the call with this index, from 0; null: none is left. */
export function replyAt({ replies }: ScriptedState, index: number): ScriptedReply | null {
  return itemAt(replies, index);
}

/** The answer to the question of a call; null: none. */
export function answerAt(
  { answers }: Simulation,
  { from, call }: { readonly from: string; readonly call: number },
): string | null {
  return itemAt(answers.get(from.normalize("NFC")) ?? [], call)?.answer ?? null;
}

function itemAt<Item extends { readonly times: number | "always" }>(
  items: readonly Item[],
  index: number,
): Item | null {
  let passed = 0;
  for (const item of items) {
    if (item.times === "always") return item;
    passed += item.times;
    if (index < passed) return item;
  }
  return null;
}

/** Number of calls that a state can answer; Infinity with `times: always`. */
export function replyCount(state: ScriptedState): number {
  return state.replies.reduce((sum, { times }) => sum + (times === "always" ? Infinity : times), 0);
}

function stateName(yaml: LocatedYaml, path: readonly string[], key: string): string {
  if (key.trim() === "" || /\\|\/$|(?:^\.|\/\.?)\.\//.test(key)) {
    throw yaml.fault(path, "this is not the name of a state.");
  }
  return (/\.(?:md|sh|bat|ps1)$/.test(key) ? key : `${key}.md`).normalize("NFC");
}

function readItems<Item extends { readonly times: number | "always" }>(
  yaml: LocatedYaml,
  path: readonly string[],
  nouns: string,
  read: (yaml: LocatedYaml, path: Path) => Item,
): readonly Item[] {
  const value = yaml.value(path);
  if (!Array.isArray(value) || value.length === 0) {
    throw yaml.fault(path, `a state needs a list of ${nouns}, with at least one.`);
  }
  return value.map((_, index) => {
    const item = read(yaml, [...path, index]);
    if (item.times === "always" && index < value.length - 1) {
      throw yaml.fault([...path, index + 1], 'nothing after "times: always" is ever reached.');
    }
    return item;
  });
}

/** Scripts run in a simulation too, so they have answers to questions but no replies. */
function readAnswer(yaml: LocatedYaml, path: Path): ScriptedAnswer {
  if ("reply" in yaml.section(path)) {
    throw yaml.fault(
      path.slice(0, -1),
      "scripts run in a simulation too, so they have no replies.",
    );
  }
  yaml.section(path, ["answer", "times"]);
  return readAs(yaml, path, answerSchema);
}

function answerOf(reply: ScriptedReply): ScriptedAnswer {
  return { answer: reply.kind === "reply" ? reply.answer : null, times: reply.times };
}

/** Parses one item of a list of replies. `others`: additional keys, which the caller reads. */
export function readScripted(
  yaml: LocatedYaml,
  path: Path,
  others: readonly string[] = [],
): ScriptedReply {
  const mapping = yaml.section(path, [...KEYS, ...others]);
  const denied = yaml.value([...path, "denied"]);
  for (const index of Array.isArray(denied) ? denied.keys() : []) {
    yaml.section([...path, "denied", index], ["tool", "input"]);
  }
  const own = Object.entries(mapping).filter(([key]) => !others.includes(key));
  return scripted(yaml, path, readAs(yaml, path, draftSchema, Object.fromEntries(own)));
}

/** The simulation can allow every call that a person can read. */
function withExact(call: Pick<Denial, "tool" | "input">): Denial {
  const exact = readableArgument(call.input);
  return exact === undefined ? call : { ...call, exact };
}

/** A reply or a failure. Each has keys that the other does not allow. */
function scripted(
  yaml: LocatedYaml,
  path: Path,
  { reply, fail, cost, delay, times, capped, context, denied, message, answer }: Draft,
): ScriptedReply {
  if (fail !== undefined) {
    for (const [key, given] of Object.entries({ reply, capped, context, denied, answer })) {
      if (given !== undefined) {
        throw yaml.fault([...path, key], `a call that fails has no "${key}".`);
      }
    }
    const costMicroUsd = cost === undefined ? null : toMicroUsd(cost);
    return {
      kind: "failure",
      class: fail,
      message: message ?? null,
      costMicroUsd,
      delayMs: delay,
      times,
    };
  }
  if (reply === undefined) {
    throw yaml.fault(path, `it needs "reply", or "fail" with one of ${FAILURES.join(", ")}.`);
  }
  if (message !== undefined) {
    throw yaml.fault([...path, "message"], 'only a call that fails has a "message".');
  }
  return {
    kind: "reply",
    text: reply,
    answer: answer ?? null,
    costMicroUsd: toMicroUsd(cost ?? DEFAULT_COST_USD),
    delayMs: delay,
    times,
    context: context ?? null,
    capped: capped ?? false,
    denials: (denied ?? []).map(withExact),
  };
}
