import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trimPayload } from "../../../src/language/protocol/payload.ts";

describe("trimPayload", () => {
  it.each([
    ["", ""],
    ["  a  ", "  a  "],
    ["\n \t\n  a\n", "  a"],
    ["a  \n\n \n", "a  "],
    ["a\n   ", "a"],
    ["a\n\n b", "a\n\n b"],
    ["a\r\nb\r\n", "a\nb"],
    ["a\rb", "a\nb"],
    ["   ", ""],
    ["\n\n", ""],
  ])("turns %j into %j", (content, payload) => {
    expect(trimPayload(content)).toBe(payload);
  });

  it("matches the rule line by line, and is idempotent", () => {
    const part = fc.constantFrom("\n", "\r\n", " ", "\t", "a", "b c");
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const lines = parts.join("").split(/\r\n|\n/);
        while (lines[0]?.trim() === "") lines.shift();
        while (lines.at(-1)?.trim() === "") lines.pop();

        const payload = trimPayload(parts.join(""));

        expect(payload).toBe(lines.join("\n"));
        expect(trimPayload(payload)).toBe(payload);
      }),
    );
  });
});
