import * as z from "zod/mini";
import { text } from "../../clients/simulation/schema.ts";
import { type LocatedYaml, type Path, readAs } from "../../clients/simulation/yaml.ts";
import { type MicroUsd, toMicroUsd } from "../../language/basics/money.ts";
import type { Position } from "../../language/basics/place.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import { RUN_STATUSES, type RunStatus } from "../../machine/model/run-state.ts";
import { type Pattern, patternAt, type States, stateAt } from "./given.ts";

export interface Expectation {
  /** Entered states in order, by agent. */
  readonly paths: ReadonlyMap<AgentId, Expected<readonly StateName[]>>;
  readonly results: ReadonlyMap<AgentId, Expected<string>>;
  readonly steps: readonly ExpectedStep[];
  readonly cost: Expected<MicroUsd> | null;
  /** Null: `completed`, unless `exit` or `error` is set. */
  readonly status: Expected<RunStatus> | null;
  /** Exit code of raymond. */
  readonly exit: Expected<number> | null;
  /** Matches the stop reason. */
  readonly error: Expected<Pattern> | null;
}

export interface Expected<Value> {
  readonly value: Value;
  readonly at: Position;
  /** Keys in the file. */
  readonly path: Path;
}

/** Conditions for an attempt in a state. */
export interface ExpectedStep {
  readonly state: StateName;
  readonly agent: AgentId | null;
  /** Number of the visit, from 1; null: any. */
  readonly visit: number | null;
  readonly contains: readonly Pattern[];
  readonly lacks: readonly Pattern[];
  readonly session: SessionWord | null;
  /** Entries on the return stack. */
  readonly depth: number | null;
  readonly at: Position;
}

/** How the conversation of a step starts. */
export const SESSION_WORDS = { fresh: "fresh", resume: "resumed", branch: "branched" } as const;
export type SessionWord = (typeof SESSION_WORDS)[keyof typeof SESSION_WORDS];

/** Empty if the path does not exist. */
export function readExpectation(yaml: LocatedYaml, path: Path, states: States): Expectation {
  const given = yaml.value(path) === undefined ? {} : yaml.section(path, Object.keys(SHAPE));
  const read = readAs(yaml, path, outerSchema, given);
  const expected = <Value>(key: string, value: Value | undefined): Expected<Value> | null =>
    value === undefined ? null : { value, ...placed(yaml, [...path, key]) };
  const error = expected("error", read.error);
  const cost = expected("cost", read.cost);
  return {
    paths: byAgent(yaml, path, ["path", "paths"], (at) => readPath(yaml, at, states)),
    results: byAgent(yaml, path, ["result", "results"], (at) => String(yaml.value(at))),
    steps: (read.steps ?? []).map((_, index) => readStep(yaml, [...path, "steps", index], states)),
    cost: cost && { ...cost, value: toMicroUsd(cost.value) },
    status: expected("status", read.status),
    exit: expected("exit", read.exit),
    error: error && { ...error, value: patternAt(yaml, error.path, error.value) },
  };
}

const ENDED = RUN_STATUSES.filter((status) => status !== "running" && status !== "waiting");

const states = z.array(z.string("the name of a state is expected"), "a list of states is expected");
const agents = "a mapping from agents (main, main_worker1) is expected";
const patterns = z.optional(
  z.union([text, z.array(text)], "a text or a list of texts is expected"),
);

const STEP = {
  state: z.string("the name of a state is expected"),
  agent: z.optional(text),
  visit: z.optional(z.int("a whole number from 1 on is expected").check(z.minimum(1))),
  contains: patterns,
  lacks: patterns,
  session: z.optional(
    z.enum(
      Object.values(SESSION_WORDS),
      `one of ${Object.values(SESSION_WORDS).join(", ")} is expected`,
    ),
  ),
  depth: z.optional(z.int("a whole number is expected").check(z.minimum(0))),
};
const stepSchema = z.strictObject(STEP);

const SHAPE = {
  path: z.optional(states),
  paths: z.optional(z.record(z.string(), states, agents)),
  result: z.optional(text),
  results: z.optional(z.record(z.string(), text, agents)),
  steps: z.optional(z.array(z.unknown(), "a list of steps is expected")),
  cost: z.optional(z.number("an amount in dollars is expected, such as 0.02")),
  status: z.optional(z.enum(ENDED, `one of ${ENDED.join(", ")} is expected`)),
  exit: z.optional(z.int("an exit code is expected")),
  error: z.optional(text),
};
/** Steps are read one by one, so that an unknown key is reported with the nearest known one. */
const outerSchema = z.strictObject(SHAPE);

/** @public For the schema that editors read. */
export const expectationSchema = z.strictObject({
  ...SHAPE,
  steps: z.optional(z.array(stepSchema)),
});

/** `one`: the key for main. `many`: the key for agents by id. */
function byAgent<Value>(
  yaml: LocatedYaml,
  path: Path,
  [one, many]: readonly [string, string],
  read: (path: Path) => Value,
): ReadonlyMap<AgentId, Expected<Value>> {
  const found = new Map<AgentId, Expected<Value>>();
  const add = (agent: string, at: Path) => {
    if (found.has(agent)) throw yaml.fault(at, `"${one}" says it of ${agent} already.`);
    found.set(agent, { value: read(at), ...placed(yaml, at) });
  };
  if (yaml.value([...path, one]) !== undefined) add("main", [...path, one]);
  const others = [...path, many];
  const agents = yaml.value(others) === undefined ? [] : Object.keys(yaml.section(others));
  for (const agent of agents) add(agent, [...others, agent]);
  return found;
}

function placed(yaml: LocatedYaml, path: Path) {
  return { at: yaml.placeOf(path), path };
}

function readPath(yaml: LocatedYaml, path: Path, known: States): readonly StateName[] {
  const list = yaml.value(path) as readonly unknown[];
  return list.map((written, index) => stateAt(yaml, [...path, index], written, known));
}

function readStep(yaml: LocatedYaml, path: Path, known: States): ExpectedStep {
  yaml.section(path, Object.keys(STEP));
  const { state, agent, visit, contains, lacks, session, depth } = readAs(yaml, path, stepSchema);
  const list = (key: string, given: string | readonly string[] | undefined) =>
    (typeof given === "string" ? [given] : (given ?? [])).map((one) =>
      patternAt(yaml, [...path, key], one),
    );
  return {
    state: stateAt(yaml, [...path, "state"], state, known),
    agent: agent ?? null,
    visit: visit ?? null,
    contains: list("contains", contains),
    lacks: list("lacks", lacks),
    session: session ?? null,
    depth: depth ?? null,
    at: yaml.placeOf(path),
  };
}
