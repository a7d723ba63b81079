import { PROMPT_KEYS } from "./declarations.ts";
import { type JsonSchema, object } from "./json-schema.ts";
import { CONFIG, SIMULATION, TESTS } from "./scripted.ts";
import { SINGLE_FILE, WORKFLOW } from "./workflow-file.ts";

/** The schemas for editors in `schemas/`, by the names of their files, as text (docs/editors.md). */
export function publishedSchemas(): ReadonlyMap<string, string> {
  return new Map(
    SCHEMAS.map(([name, title, schema]) => {
      const whole = {
        $schema: "http://json-schema.org/draft-07/schema#",
        title,
        ...schema,
      };
      return [`${name}.schema.json`, `${JSON.stringify(whole, null, 2)}\n`];
    }),
  );
}

const SCHEMAS: readonly (readonly [name: string, title: string, schema: JsonSchema])[] = [
  ["front-matter", "The front matter of a prompt of raymond", object(PROMPT_KEYS)],
  ["workflow", "What a workflow of raymond says of itself: workflow.yaml", WORKFLOW],
  ["single-file", "A workflow of raymond in one file", SINGLE_FILE],
  ["simulation", "A simulation of raymond: *.sim.yaml", SIMULATION],
  ["test", "Tests of a workflow of raymond: *.test.yaml", TESTS],
  ["config", "The configuration of raymond: config.toml", CONFIG],
];
