import { type MicroUsd, toMicroUsd } from "../../language/basics/money.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import type { Denial } from "../../machine/step/outcome.ts";
import { BadSimulationError } from "./errors.ts";
import {
  answerSchema,
  type Draft,
  draftSchema,
  FAILURES,
  KEYS,
  type ScriptedFailure,
} from "./schema.ts";
import { type LocatedYaml, type Path, readAs, readYaml } from "./yaml.ts";

/** The replies of a workflow's prompt states, as a `*.sim.yaml` holds them (docs/simulation.md). */
export interface Simulation {
  /** Where it was read: messages say where to add a reply. */
  readonly file: string;
  /** By full name (`PLAN.md`, or `review/READ.md` in another workflow), in NFC. */
  readonly states: ReadonlyMap<string, ScriptedState>;
  /** What is answered to each state that asks, by full name: of a prompt one for each reply. */
  readonly answers: ReadonlyMap<string, readonly ScriptedAnswer[]>;
}

/** The answer to the question of a call of a prompt, or of a visit of a script; null: there is none. */
interface ScriptedAnswer {
  readonly answer: string | null;
  readonly times: number | "always";
}

/** What one state answers, in order. */
export interface ScriptedState {
  /** Where it begins in the file: 1 is the first line. */
  readonly line: number;
  readonly replies: readonly ScriptedReply[];
}

interface Timed {
  readonly times: number | "always";
  /** How long the call takes, ms. */
  readonly delayMs: number;
  /** What the call costs; null for a failure that reports no cost. */
  readonly costMicroUsd: MicroUsd | null;
}

/** One scripted call: what the model says, or how the call fails. */
export type ScriptedReply =
  | (Timed & {
      readonly kind: "reply";
      /** May hold `{{placeholders}}`; empty: the model says nothing at all. */
      readonly text: string;
      /** What is answered where it asks a person; null: nothing, and the run waits. */
      readonly answer: string | null;
      /** Tokens that the conversation holds then, of a window of 200,000; null: it is not said. */
      readonly context: number | null;
      readonly capped: boolean;
      readonly denials: readonly Denial[];
    })
  | (Timed & {
      readonly kind: "failure";
      readonly class: ScriptedFailure;
      readonly message: string | null;
    });

/** What a reply costs that says nothing of it, so that budgets can be tried out. */
export const DEFAULT_COST_USD = 0.01;

/**
 * Reads a `*.sim.yaml`. `file` is only for messages. Throws BadSimulationError
 * naming file, line, column and field for everything that docs/simulation.md
 * does not describe; an unknown key comes with the nearest known one.
 */
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

/** The reply that a state gives to its call number `index` (0 is the first); null: there is none left. */
export function replyAt({ replies }: ScriptedState, index: number): ScriptedReply | null {
  return itemAt(replies, index);
}

/** What answers a question, by the call that asked; null: nothing does. */
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

/** How many calls a state can answer; Infinity where a reply stands for ever. */
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

/** Scripts run in a simulation too: only what answers their questions can be said. */
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

/**
 * One item of a list of replies, wherever such a list stands. `others`: keys that
 * it may have besides, which the caller reads.
 */
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

/** A reply speaks or fails, never both; each has keys that the other cannot have. */
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
    denials: denied ?? [],
  };
}
