import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Tail } from "../../../src/process/children/tail.ts";

function tailOf(...chunks: readonly string[]): readonly string[] {
  const tail = new Tail(2_048);
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.lines(10);
}

describe("Tail", () => {
  it.each([
    ["nothing", "", []],
    ["only blanks", " \n\n", []],
    ["one line without an end", "a", ["a"]],
    ["line ends of Windows", "a\r\nb\r\n", ["a", "b"]],
    ["blank lines around and between", "\n\na\n\nb\n\n", ["a", "", "b"]],
  ])("keeps the lines of %s", (_what, text, lines) => {
    expect(tailOf(text)).toEqual(lines);
  });

  it("keeps the last ten lines", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${String(index)}`);

    expect(tailOf(lines.join("\n"))).toEqual(lines.slice(-10));
  });

  it("keeps a limited number of bytes, and no truncated line", () => {
    expect(tailOf("a".repeat(3_000), "\nb\n")).toEqual(["b"]);
    expect(tailOf("a".repeat(3_000))).toEqual(["a".repeat(2_048)]);
  });

  it("does not depend on how the output is split", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 600 }), { maxLength: 8 }),
        (chunks) => {
          expect(tailOf(...chunks)).toEqual(tailOf(chunks.join("")));
        },
      ),
    );
  });
});
