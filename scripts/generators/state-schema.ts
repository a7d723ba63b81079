import * as z from "zod/mini";
import { stateSchema } from "../../src/storage/codec/state-document.ts";

/** The text of docs/state.schema.json: what {@link stateSchema} accepts, as others can check it. */
export function printJsonSchema(): string {
  const schema = {
    ...jsonSchemaOf(stateSchema()),
    title: "The state file of a raymond run",
    description: "What each field means is in state-file.md. Made by: npm run schema",
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function jsonSchemaOf(schema: z.ZodMiniType) {
  return z.toJSONSchema(schema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const { values } = z.globalRegistry.get(zodSchema) ?? {};
      if (!(values instanceof z.ZodMiniType)) return;
      const each = jsonSchemaOf(values);
      // Said once, at the top.
      delete each["$schema"];
      delete jsonSchema["values"];
      Object.assign(jsonSchema, { type: "object", additionalProperties: each });
    },
  });
}
