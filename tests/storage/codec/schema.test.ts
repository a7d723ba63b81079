import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { printJsonSchema } from "../../../scripts/generators/state-schema.ts";
import { encodeRun } from "../../../src/storage/codec/state-document.ts";
import { run } from "../../support/runs.ts";

const PUBLISHED = path.join(import.meta.dirname, "..", "..", "..", "docs", "state.schema.json");

interface Described {
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
  readonly properties: Readonly<Record<string, { readonly additionalProperties?: unknown }>>;
}

describe("the published schema of state files", () => {
  it("equals the schema in the code (npm run schema)", async () => {
    expect(await readFile(PUBLISHED, "utf8")).toBe(printJsonSchema());
  });

  it("contains every field, rejects others, and types the values of dictionaries", () => {
    const schema = JSON.parse(printJsonSchema()) as Described;

    expect(schema.required).toEqual(Object.keys(encodeRun(run())));
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties["visits"]?.additionalProperties).toMatchObject({ type: "integer" });
    expect(schema.properties["results"]?.additionalProperties).toMatchObject({
      anyOf: [{ type: "string" }, { type: "object", required: ["file", "bytes"] }],
    });
  });
});
