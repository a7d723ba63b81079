import { describe, expect, it } from "vitest";
import { compileSchema } from "../../src/scopes/schemas/compile.ts";

const PLAN = JSON.stringify({
  type: "object",
  required: ["items"],
  additionalProperties: false,
  properties: {
    items: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["path"],
        properties: { path: { type: "string" }, kind: { enum: ["new", "old"] } },
      },
    },
  },
});

function faults(text: string, schema: string = PLAN): Promise<readonly string[]> {
  return Promise.resolve(compileSchema(schema, "plan.schema.json").check(text));
}

describe("a schema", () => {
  it("accepts JSON that matches", async () => {
    expect(await faults('{ "items": [{ "path": "a.ts", "kind": "new" }] }')).toEqual([]);
  });

  it.each([
    ["{}", ['the value must have the key "items"']],
    [
      '{"items":[],"more":1}',
      ['the value must not have the key "more"', "/items must NOT have fewer than 1 items"],
    ],
    ['{"items":[{}]}', ['/items/0 must have the key "path"']],
    [
      '{"items":[{"path":1,"kind":"x"}]}',
      ["/items/0/path must be string", '/items/0/kind must be one of "new", "old"'],
    ],
    ["3", ["the value must be object"]],
  ])("names the place and what is expected: %s", async (text, expected) => {
    expect(await faults(text)).toEqual(expect.arrayContaining(expected));
    expect(await faults(text)).toHaveLength(expected.length);
  });

  it.each(["", "no", "{'a': 1}", '{"items":[}', "```json"])(
    "finds that %j is not JSON",
    async (text) => {
      expect((await faults(text))[0]).toMatch(/^it is not JSON \(/);
    },
  );

  it("names at most five faults", async () => {
    const items = Array.from({ length: 50 }, () => ({}));

    const found = await faults(JSON.stringify({ items }));

    expect(found).toHaveLength(6);
    expect(found.at(-1)).toBe("and more");
  });

  it("does not take inherited keys for own ones", async () => {
    const schema = JSON.stringify({ type: "object", required: ["toString", "__proto__"] });

    expect(await faults("{}", schema)).toHaveLength(2);
    expect(await faults('{"toString": 1, "__proto__": 2}', schema)).toEqual([]);
  });

  it("shows no control characters of the text", async () => {
    const [fault = ""] = await faults(`{"items":[{"path":"a"}],"\\u001b[2J\\n":1}`);

    expect(fault).toContain("must not have the key");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may pass
    expect(fault).not.toMatch(/[\u0000-\u001f]/);
  });

  it.each([
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2020-12/schema",
  ])("can be of %s", async ($schema) => {
    expect(await faults('"x"', JSON.stringify({ $schema, type: "string" }))).toEqual([]);
  });

  it("treats format as an annotation", async () => {
    const schema = JSON.stringify({ type: "string", format: "email" });

    expect(await faults('"not an address"', schema)).toEqual([]);
  });

  it("may have the same $id as another one", async () => {
    const schema = JSON.stringify({ $id: "https://example.org/a", type: "string" });

    expect(await faults("1", schema)).toHaveLength(1);
    expect(await faults("2", schema)).toHaveLength(1);
  });
});

describe("a text made to be slow", () => {
  it("ends within a second, also in a regular expression", async () => {
    const schema = JSON.stringify({ type: "string", pattern: "^(a+)+$" });
    const started = performance.now();

    expect(await faults(JSON.stringify(`${"a".repeat(60)}!`), schema)).toEqual([
      "the check takes longer than 1 s",
    ]);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it("is refused above 1 MiB", async () => {
    expect(await faults(JSON.stringify("a".repeat(2 ** 20)), "true")).toEqual([
      "it is larger than 1 MiB",
    ]);
  });

  it("does not overflow the stack", async () => {
    const schema = JSON.stringify({ type: "array", items: { $ref: "#" } });
    const text = "[".repeat(300_000) + "]".repeat(300_000);

    expect(await faults(text, schema)).toHaveLength(1);
  });
});

describe("an invalid schema", () => {
  const rejection = (text: string) => {
    try {
      compileSchema(text, "/flow/p.schema.json");
      return "compiled";
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['{\n  "type": "strin"\n}', "/flow/p.schema.json:2:11: Invalid schema: /type must be one of"],
    [
      '{\n  "propertys": {}\n}',
      '/flow/p.schema.json:2:3: Invalid schema: unknown keyword: "propertys".',
    ],
    ['{\n  "type": "object",\n}', "/flow/p.schema.json:3:1: Invalid JSON: "],
    ["[]", "/flow/p.schema.json:1:1: A schema must be a JSON object."],
    [
      '{\n"$ref": "http://127.0.0.1:1/x.json" }',
      '/flow/p.schema.json:2:10: The reference "http://127.0.0.1:1/x.json" leads out',
    ],
    ['{ "$ref": "other.schema.json" }', "leads out of the schema"],
    ['{ "$ref": "#/$defs/none" }', "leads out of the schema"],
    [
      '{\n\n"pattern": "(" }',
      "/flow/p.schema.json:3:12: Invalid schema: Invalid regular expression",
    ],
    ['{ "$schema": "http://json-schema.org/draft-04/schema#" }', "Unsupported $schema"],
    ['{ "$async": true }', "$async are not supported"],
    [`{ "description": "${"x".repeat(2 ** 20)}" }`, "larger than 1 MiB"],
  ])("is rejected with its line: %#", (text, message) => {
    expect(rejection(text)).toContain(message);
  });

  it("is placed in the file that contains its text", () => {
    const begin = { line: 10, column: 5 };

    expect(() => compileSchema('{\n "a": 1 }', "flow.yaml", begin)).toThrow(/^flow\.yaml:11:6: /);
  });
});
