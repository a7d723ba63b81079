import { describe, expect, it } from "vitest";
import { decodeRun, encodeRun } from "../../src/stores/codec.ts";
import { parseDocument } from "../../src/stores/document.ts";
import { run } from "../support/runs.ts";

/** The state file of the first raymonds, which knew neither visits nor models, nor three settings. */
function first() {
  const document = encodeRun(run());
  return {
    ...without(document, "visits"),
    settings: without(document.settings, "max_wait_s", "max_steps", "notify"),
    sums: without(document.sums, "models"),
  };
}

function without(json: object, ...keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)));
}

const read = (json: unknown) => decodeRun(parseDocument(JSON.stringify(json), "one.json"));

describe("a state file of the first raymonds", () => {
  it("is read, with the values that change nothing", () => {
    expect(read(first())).toEqual(run());
  });

  it.each([
    ["visits", { ...first(), visits: {} }],
    ["notify", { ...first(), settings: { ...first().settings, notify: null } }],
    ["models", { ...first(), sums: { ...first().sums, models: {} } }],
  ])(
    "is told from one of today that is damaged: there %s stands, and others are missing",
    (_, json) => {
      expect(() => read(json)).toThrow("is missing");
    },
  );

  it.each([[null], [[]], ["visits"], [{}], [{ settings: null, sums: [] }]])(
    "is not taken for one when it is %j",
    (json) => {
      expect(() => read(json)).toThrow("cannot be used");
    },
  );
});
