import type { Denial } from "../core/machine/outcome.ts";
import { type MicroUsd, toMicroUsd } from "../core/money.ts";
import { BadSimulationError } from "./errors.ts";
import { type Draft, draftSchema, FAILURES, KEYS, type ScriptedFailure } from "./schema.ts";
import { type LocatedYaml, type Path, readAs, readYaml } from "./yaml.ts";

/** The replies of a workflow's prompt states, as a `*.sim.yaml` holds them (docs/simulation.md). */
export interface Simulation {
  /** Where it was read: messages say where to add a reply. */
  readonly file: string;
  /** By full name (`PLAN.md`, or `review/READ.md` in another workflow), in NFC. */
  readonly states: ReadonlyMap<string, ScriptedState>;
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
  for (const key of Object.keys(yaml.section(["states"]))) {
    const path = ["states", key];
    const name = stateName(yaml, path, key);
    if (states.has(name)) throw yaml.fault(path, `${name} stands here twice.`);
    states.set(name, { line: yaml.placeOf(path).line, replies: readReplies(yaml, path) });
  }
  return { file, states };
}

/** The reply that a state gives to its call number `index` (0 is the first); null: there is none left. */
export function replyAt(state: ScriptedState, index: number): ScriptedReply | null {
  let passed = 0;
  for (const reply of state.replies) {
    if (reply.times === "always") return reply;
    passed += reply.times;
    if (index < passed) return reply;
  }
  return null;
}

/** How many calls a state can answer; Infinity where a reply stands for ever. */
export function replyCount(state: ScriptedState): number {
  return state.replies.reduce((sum, { times }) => sum + (times === "always" ? Infinity : times), 0);
}

function stateName(yaml: LocatedYaml, path: readonly string[], key: string): string {
  if (/\.(sh|bat)$/.test(key)) {
    throw yaml.fault(path, "scripts run in a simulation too, so they have no replies.");
  }
  if (key.trim() === "" || /\\|\/$|(?:^|\/)\.\.?\//.test(key)) {
    throw yaml.fault(path, "this is not the name of a state.");
  }
  return (key.endsWith(".md") ? key : `${key}.md`).normalize("NFC");
}

function readReplies(yaml: LocatedYaml, path: readonly string[]): readonly ScriptedReply[] {
  const value = yaml.value(path);
  if (!Array.isArray(value) || value.length === 0) {
    throw yaml.fault(path, "a state needs a list of replies, with at least one.");
  }
  return value.map((_, index) => {
    const reply = readScripted(yaml, [...path, index]);
    if (reply.times === "always" && index < value.length - 1) {
      throw yaml.fault([...path, index + 1], 'nothing after "times: always" is ever reached.');
    }
    return reply;
  });
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
  { reply, fail, cost, delay, times, capped, context, denied, message }: Draft,
): ScriptedReply {
  if (fail !== undefined) {
    for (const [key, given] of Object.entries({ reply, capped, context, denied })) {
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
    costMicroUsd: toMicroUsd(cost ?? DEFAULT_COST_USD),
    delayMs: delay,
    times,
    context: context ?? null,
    capped: capped ?? false,
    denials: denied ?? [],
  };
}
