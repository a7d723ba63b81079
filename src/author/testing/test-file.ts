import * as z from "zod/mini";
import { text } from "../../clients/simulation/schema.ts";
import { type LocatedYaml, type Path, readAs, readYaml } from "../../clients/simulation/yaml.ts";
import { readValue } from "../../config/option.ts";
import { allOptions, optionByKey, type PartialSettings } from "../../config/settings.ts";
import type { Position } from "../../language/basics/place.ts";
import {
  attributeNameProblem,
  attributeValueProblem,
} from "../../language/protocol/scan/attributes.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { BadTestError } from "./errors.ts";
import { type Expectation, readExpectation } from "./expectation.ts";
import { type Given, readGiven, type States, stateAt } from "./given.ts";

/** One test of a `*.test.yaml` file (docs/testing.md). */
export interface Test {
  readonly file: string;
  readonly name: string;
  readonly at: Position;
  /** Null: the first state of the workflow. */
  readonly start: StateName | null;
  readonly input: string | null;
  readonly vars: Readonly<Record<string, string>>;
  readonly settings: PartialSettings;
  /** Number of attempts after which a test fails as endless. */
  readonly maxSteps: number;
  readonly given: Given;
  readonly expect: Expectation;
}

/** Keys of a test, which are also allowed for all tests of a file. */
export const SHARED = ["start", "input", "vars", "settings", "max_steps", "states"] as const;

/** Default: more than any terminating test needs, and fast to reach. */
const MAX_STEPS = 1_000;

/**
 * Parses a `*.test.yaml` file. `file` is for messages. Throws a BadTestError with line, column and
 * field for everything that violates docs/testing.md, and for unknown states.
 */
export function parseTests(file: string, written: string, states: States): readonly Test[] {
  const yaml = readYaml(file, written, (...why) => new BadTestError(...why));
  const top = yaml.section([], [...SHARED, "tests"]);
  if (!("tests" in top)) throw yaml.fault([], 'the key "tests" is missing.');
  const shared = readShared(yaml, [], states);
  const names = Object.keys(yaml.section(["tests"]));
  if (names.length === 0) throw yaml.fault(["tests"], "there is no test here.");
  return names.map((name) => {
    const path = ["tests", name];
    yaml.section(path, [...SHARED, "expect"]);
    const own = readShared(yaml, path, states);
    return {
      file,
      name,
      at: yaml.placeOf(path),
      start: own.start ?? shared.start,
      input: own.input ?? shared.input,
      vars: { ...shared.vars, ...own.vars },
      settings: { ...shared.settings, ...own.settings },
      maxSteps: own.maxSteps ?? shared.maxSteps ?? MAX_STEPS,
      given: new Map([...shared.given, ...own.given]),
      expect: readExpectation(yaml, [...path, "expect"], states),
    };
  });
}

function readShared(yaml: LocatedYaml, path: Path, states: States) {
  const read = <Schema extends z.ZodMiniType>(key: string, schema: Schema) =>
    yaml.value([...path, key]) === undefined ? null : readAs(yaml, [...path, key], schema);
  const { shape } = sharedSchema;
  const start = read("start", shape.start);
  return {
    start: start === null ? null : stateAt(yaml, [...path, "start"], start, states),
    input: read("input", shape.input),
    vars: readVars(yaml, [...path, "vars"]),
    settings: readSettings(yaml, [...path, "settings"]),
    maxSteps: read("max_steps", shape.max_steps),
    given: readGiven(yaml, [...path, "states"], states),
  };
}

const FEW = "a whole number from 1 to 1000000 is expected";
const steps = z.int(FEW).check(z.minimum(1, FEW), z.maximum(1_000_000, FEW));
const plain = z.union(
  [z.string(), z.number(), z.boolean()],
  "a text is expected; put it in quotes",
);

export const sharedSchema = z.object({
  start: text,
  input: text,
  max_steps: steps,
  vars: z.record(z.string(), plain),
});

function readVars(yaml: LocatedYaml, path: Path): Readonly<Record<string, string>> {
  if (yaml.value(path) === undefined) return {};
  const entries = Object.entries(yaml.section(path)).map(([name, written]) => {
    const at = [...path, name];
    const value = String(readAs(yaml, at, plain, written));
    const problem = attributeNameProblem(name) ?? attributeValueProblem(value);
    if (problem !== null) throw yaml.fault(at, problem);
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

/** With the keys of the configuration file. The user's own configuration is ignored. */
function readSettings(yaml: LocatedYaml, path: Path): PartialSettings {
  if (yaml.value(path) === undefined) return {};
  const keys = allOptions().map(({ key }) => key);
  const settings: Partial<Record<string, unknown>> = {};
  for (const [key, written] of Object.entries(yaml.section(path, keys))) {
    const option = optionByKey(key);
    const read = option === undefined ? null : readValue(option, written);
    if (option === undefined || read?.ok !== true) {
      throw yaml.fault([...path, key], `${option?.expects ?? "another value"} is expected.`);
    }
    settings[option.field] = read.value;
  }
  return settings;
}
