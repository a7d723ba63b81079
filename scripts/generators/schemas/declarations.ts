import { KINDS, LEVELS } from "../../../src/language/permissions/permission.ts";
import { companionOf, partsOf } from "../../../src/language/protocol/parts.ts";
import { TAG_TABLE } from "../../../src/language/protocol/tag-table.ts";
import { type Part, TAGS, type Tag } from "../../../src/language/protocol/transition.ts";
import { EFFORTS, ON_DENIED } from "../../../src/language/workflow/files/state-file.ts";
import type {
  Declared,
  WorkflowDefaults,
} from "../../../src/language/workflow/policy/declarations.ts";
import type { ScriptSettings } from "../../../src/language/workflow/policy/directive.ts";
import type { PERMISSION_KEYS } from "../../../src/language/workflow/policy/permission-keys.ts";
import { checkedPart } from "../../../src/language/workflow/policy/schema-name.ts";
import { docWords } from "./doc-words.ts";
import { described, type JsonSchema, object } from "./json-schema.ts";

/** A value is read as it is written, so a number is a text as well. */
export const TEXT: JsonSchema = { type: ["string", "number", "boolean"] };
const DURATION: JsonSchema = {
  type: ["string", "integer"],
  pattern: "^(?=.)(?:\\d+|(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?(?:\\d+ms)?)$",
  minimum: 0,
};
const STATE: JsonSchema = {
  type: ["string", "number", "boolean"],
  pattern: "^(?!\\.{1,2}$)[^/\\\\]*[^/\\\\\\s][^/\\\\]*$",
};
const WORD: JsonSchema = { type: "string", pattern: "^\\s*[^\\s-]" };
const WORDS: JsonSchema = { type: "array", items: WORD };
const DOLLARS: JsonSchema = {
  type: ["number", "string"],
  pattern: "^\\d+(?:\\.\\d+)?$",
  exclusiveMinimum: 0,
  maximum: 1e9,
};
const LIMIT = "\\s*(?:read-only|write:[^,]+|network:(?:on|off|true|false))\\s*";
const SWITCH: JsonSchema = { enum: ["on", "off", true, false] };
export const SANDBOX: JsonSchema = {
  anyOf: [
    { type: ["string", "boolean"], pattern: `^(?:on|off|true|false|${LIMIT}(?:,${LIMIT})*)$` },
    {
      type: "object",
      properties: { write: { type: "array", items: { type: "string" } }, network: SWITCH },
      additionalProperties: false,
    },
  ],
};
const IMAGE = "(?!(?:on|off|none|true|false)$)[A-Za-z0-9][A-Za-z0-9._/:@+-]{0,499}";
const EFFORT: JsonSchema = { enum: EFFORTS };

const SCHEMA: JsonSchema = { type: "string", pattern: "^[^./\\\\][^/\\\\]*\\.schema\\.json$" };

function count(least: number, most: number): JsonSchema {
  return { type: ["integer", "string"], pattern: "^\\d+$", minimum: least, maximum: most };
}

const NAMES: JsonSchema = {
  type: "array",
  items: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*\\*?$" },
};
export const ENVIRONMENT: JsonSchema = {
  anyOf: [
    { const: "inherit" },
    object({
      pass: NAMES,
      set: { type: "object", additionalProperties: TEXT },
      secret: NAMES,
    }),
  ],
};
const PASSED: JsonSchema = {
  anyOf: [
    {
      type: "string",
      pattern: "^[A-Za-z_][A-Za-z0-9_]*\\*?(?:,[A-Za-z_][A-Za-z0-9_]*\\*?)*$",
    },
    object({ pass: NAMES }),
  ],
};

const PERMISSIONS: JsonSchema = {
  type: "array",
  items: { type: "string", pattern: `^\\s*(?:${KINDS.join("|")})\\s*\\(.+\\)\\s*$` },
};

/** The keys of prompts and workflows that limit permissions. */
export const LIMITS: Readonly<Record<keyof typeof PERMISSION_KEYS, JsonSchema>> = {
  permissions: { enum: LEVELS },
  allow: PERMISSIONS,
  deny: PERMISSIONS,
};

const AGENT_NAME: JsonSchema = { type: "string", pattern: "^[a-z][a-z0-9-]{0,62}$" };

const AGENTS: JsonSchema = {
  anyOf: [AGENT_NAME, { type: "array", minItems: 1, items: AGENT_NAME }],
};

/** The keys of front matter: those that `readDeclarations` reads, or this does not compile. */
const DECLARED: Readonly<Record<keyof Declared, JsonSchema>> = {
  allowed_transitions: { type: "array", minItems: 1, items: { anyOf: TAGS.map(rule) } },
  agent: AGENTS,
  model: WORD,
  effort: EFFORT,
  fallback_model: WORD,
  max_turns: count(1, 999_999),
  on_denied: { enum: ON_DENIED },
  timeout: DURATION,
  budget: DOLLARS,
  max_visits: count(1, 999_999_999),
  max_context: {
    type: ["string", "number"],
    pattern: "^\\d{1,9}(?:\\.\\d{1,3})?(?:k|M|%)?$",
    exclusiveMinimum: 0,
  },
  on_context: STATE,
  ...LIMITS,
  tools: WORDS,
  allowed_tools: WORDS,
  disallowed_tools: WORDS,
  require_mcp: WORDS,
  env: ENVIRONMENT,
  sandbox: SANDBOX,
};

/** What a script may say beside its text, where both stand in one file. */
const SCRIPT: Readonly<Record<keyof ScriptSettings, JsonSchema>> = {
  timeout: DURATION,
  retries: count(0, 999),
  backoff: DURATION,
  on_error: STATE,
  max_visits: count(1, 999_999_999),
  env: PASSED,
  schema: SCHEMA,
  sandbox: SANDBOX,
  container: { type: ["string", "number"], pattern: `^${IMAGE}$` },
};

/** What a workflow may say for all its runs. */
export const DEFAULTS: Readonly<Record<keyof WorkflowDefaults, JsonSchema>> = {
  agent: AGENTS,
  budget: DOLLARS,
  model: WORD,
  effort: EFFORT,
  fallback_model: WORD,
  max_turns: count(1, 999_999),
  on_denied: { enum: ON_DENIED },
  max_parallel: count(1, 10_000),
  tools: WORDS,
};

export const PROMPT_KEYS = described(DECLARED, docWords("authoring.md", "Front matter"));
export const SCRIPT_KEYS = described(SCRIPT, docWords("authoring.md", "Directive comment"));

/** A rule for one tag: its parts by the table of tags, and a gate. */
function rule(tag: Tag): JsonSchema {
  const { summary, startsAgent } = TAG_TABLE[tag];
  const parts = partsOf(tag);
  const properties = {
    tag: { const: tag, description: `${summary[0]?.toUpperCase() ?? ""}${summary.slice(1)}.` },
    ...Object.fromEntries(parts.map((part) => [part.name, schemaOf(part)])),
    ...(checkedPart(tag) === null ? {} : { schema: ruleSchema(tag) }),
    verify: { ...STATE, description: "A script that must agree before this transition is taken." },
    attempts: { ...count(1, 999), description: "Runs of that script in one visit." },
    on_fail: { ...STATE, description: "The state that takes over when they are used up." },
  };
  const [content] = parts;
  const required = content.holds === "workflow" ? ["tag", content.name] : ["tag"];
  return object(properties, { required, others: startsAgent ? TEXT : false });
}

function ruleSchema(tag: Tag): JsonSchema {
  const description = "The schema file that the payload must match.";
  // Otherwise it is an attribute of the new agent.
  return { ...(TAG_TABLE[tag].startsAgent ? TEXT : SCHEMA), description };
}

function schemaOf(part: Part): JsonSchema {
  const companion = companionOf(part);
  const open = companion === null ? {} : { description: `Only together with ${companion}.` };
  switch (part.holds) {
    case "state":
      return { ...STATE, ...open };
    case "duration":
      return { ...DURATION, ...open };
    case "choice":
      return { enum: part.choices };
    case "count":
      return count(0, 999_999_999);
    case "workflow":
    case "folder":
    case "text":
    case "options":
    case "worktree":
      return TEXT;
  }
}
