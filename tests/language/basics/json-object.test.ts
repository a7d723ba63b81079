import { describe, expect, it } from "vitest";
import { parseBoundedJson, parseJson } from "../../../src/language/basics/json-object.ts";

const MEGABYTE = 2 ** 20;

describe("parseBoundedJson", () => {
  it.each([
    ["open brackets", "[".repeat(2 * MEGABYTE)],
    ["nested objects", '{"a":'.repeat(MEGABYTE)],
    ["brackets after a string with a quote", `["\\"\\\\",${"[".repeat(2 * MEGABYTE)}`],
  ])("refuses a large text of %s", (_, text) => {
    expect(() => parseBoundedJson(text)).toThrow("nested more than 1000 levels deep");
    expect(parseJson(text)).toBeUndefined();
  });

  it.each([
    ["strings of brackets", ["[".repeat(2 * MEGABYTE), '\\"[{'.repeat(MEGABYTE / 4)]],
    ["many short lists", Array.from({ length: MEGABYTE }, () => [])],
    ["a few levels", [[[{ a: ["x".repeat(2 * MEGABYTE)] }]]]],
  ])("reads a large text of %s", (_, value) => {
    const text = JSON.stringify(value);
    expect(JSON.stringify(parseBoundedJson(text)) === text).toBe(true);
  });

  it("refuses a string without an end", () => {
    expect(parseJson(`["${"x".repeat(2 * MEGABYTE)}`)).toBeUndefined();
  });
});
