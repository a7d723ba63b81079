import type { DeclaredVar, Manifest } from "../../../src/language/workflow/files/manifest.ts";
import {
  DEFAULTS,
  ENVIRONMENT,
  LIMITS,
  PROMPT_KEYS,
  SANDBOX,
  SCRIPT_KEYS,
  TEXT,
} from "./declarations.ts";
import { docWords } from "./doc-words.ts";
import { described, type JsonSchema, object } from "./json-schema.ts";

const BOOLEAN: JsonSchema = { type: "boolean" };

const INPUT: Readonly<Record<keyof NonNullable<Manifest["input"]>, JsonSchema>> = {
  description: TEXT,
  required: BOOLEAN,
};

const VAR: Readonly<Record<Exclude<keyof DeclaredVar, "name">, JsonSchema>> = {
  description: TEXT,
  default: TEXT,
  required: BOOLEAN,
  options: { type: "array", minItems: 1, items: TEXT },
};

const ABOUT: Readonly<
  Record<
    Exclude<keyof Manifest, "defaults" | "permissions" | "lintIgnore" | "warnings">,
    JsonSchema
  >
> = {
  name: TEXT,
  description: TEXT,
  input: object(INPUT),
  vars: { type: "object", additionalProperties: { anyOf: [object(VAR), { type: "null" }] } },
  env: ENVIRONMENT,
  sandbox: SANDBOX,
  worktree: {
    anyOf: [
      BOOLEAN,
      object({ fork: BOOLEAN, setup: TEXT, copy: { type: "array", items: TEXT }, base: TEXT }),
    ],
  },
};

const RULES: JsonSchema = { type: "array", items: { type: "string", pattern: "^RAY[0-9]{3}$" } };

/** What a workflow says of itself: the keys that `readManifest` reads, or this does not compile. */
const KEYS = described(
  { ...ABOUT, ...DEFAULTS, ...LIMITS, lint_ignore: RULES },
  docWords("authoring.md", "Workflow declaration"),
);

export const WORKFLOW: JsonSchema = object(KEYS);

const SOURCE: JsonSchema = { type: "string", minLength: 1 };

/** A prompt, or scripts of one or more platforms, with what may be declared beside. */
const STATE: JsonSchema = {
  anyOf: [
    object(
      { prompt: { ...SOURCE, description: "What is sent to the model." }, ...PROMPT_KEYS },
      { required: ["prompt"] },
    ),
    ...["sh", "bat", "ps1"].map((own) =>
      object({ sh: SOURCE, bat: SOURCE, ps1: SOURCE, ...SCRIPT_KEYS }, { required: [own] }),
    ),
  ],
};

export const SINGLE_FILE: JsonSchema = object(
  {
    ...KEYS,
    states: {
      type: "object",
      description: "The states, by their names without an ending.",
      additionalProperties: STATE,
    },
    schemas: {
      type: "object",
      description: "JSON Schemas as texts, by the names that rules use.",
      additionalProperties: SOURCE,
    },
  },
  { required: ["states"] },
);
