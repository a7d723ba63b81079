import * as z from "zod/mini";
import { expectationSchema } from "../../../src/author/testing/expectation.ts";
import { scriptSchema, whenSchema } from "../../../src/author/testing/given.ts";
import { SHARED, sharedSchema } from "../../../src/author/testing/test-file.ts";
import { answerSchema, draftSchema } from "../../../src/clients/simulation/schema.ts";
import { allOptions } from "../../../src/config/settings.ts";
import { docWords } from "./doc-words.ts";
import { described, type JsonSchema, object } from "./json-schema.ts";

const REPLY_WORDS = docWords("simulation.md", "Replies");
const SCRIPT_WORDS = docWords("testing.md", "Scripts");
const EXPECT_WORDS = docWords("testing.md", "Expectations");

/** What a zod schema reads, for editors. */
function readBy(schema: z.ZodMiniType): JsonSchema {
  const made = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
  // Said once, at the top.
  delete made["$schema"];
  return made as JsonSchema;
}

function withWords(schema: JsonSchema, words: ReadonlyMap<string, string>): JsonSchema {
  return { ...schema, properties: described(schema.properties ?? {}, words) };
}

/** Lists of items, by the names of states. */
function states(...items: readonly JsonSchema[]): JsonSchema {
  return {
    type: "object",
    description: "What each state does, call by call.",
    additionalProperties: { type: "array", minItems: 1, items: { anyOf: items } },
  };
}

const REPLY = withWords(readBy(draftSchema), REPLY_WORDS);

export const SIMULATION: JsonSchema = object(
  { states: states(REPLY, withWords(readBy(answerSchema), REPLY_WORDS)) },
  { required: ["states"] },
);

const SETTINGS = object(
  Object.fromEntries(
    allOptions().map(({ key, schema, help }) => [key, { ...readBy(schema()), description: help }]),
  ),
);

/** `[raymond]` of a configuration; other tables are ignored. */
export const CONFIG: JsonSchema = object({ raymond: SETTINGS });

const GIVEN = states(
  { ...REPLY, properties: { ...REPLY.properties, when: readBy(whenSchema) } },
  withWords(readBy(scriptSchema), SCRIPT_WORDS),
);

const SHARED_KEYS = described(
  Object.fromEntries(
    SHARED.map((key) => {
      if (key === "states") return [key, GIVEN];
      if (key === "settings") return [key, SETTINGS];
      return [key, readBy(sharedSchema.shape[key])];
    }),
  ),
  docWords("testing.md", "Test file format"),
);

const EXPECT = withWords(readBy(expectationSchema), EXPECT_WORDS);

export const TESTS: JsonSchema = object(
  {
    ...SHARED_KEYS,
    tests: {
      type: "object",
      description: "The tests, by what they say.",
      additionalProperties: object({ ...SHARED_KEYS, expect: EXPECT }),
    },
  },
  { required: ["tests"] },
);
