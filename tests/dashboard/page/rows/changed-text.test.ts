import { describe, expect, it } from "vitest";
import { textLines } from "../../../../src/dashboard/page/rows/changed-text.ts";

const said = (...texts: readonly string[]) => ({ said: texts, stdout: "" });

describe("what two steps have said", () => {
  it("stands line by line, the old beside the new", () => {
    expect(textLines(said("I look", "All is well"), said("I look\nIt fails"))).toEqual([
      "  I look",
      "- All is well",
      "+ It fails",
    ]);
  });

  it("is what a script has written", () => {
    const [old, now] = [
      { said: [], stdout: "one\n" },
      { said: [], stdout: "two\n" },
    ];

    expect(textLines(old, now)).toEqual(["- one", "+ two"]);
  });

  it("is all new, or nothing, where a step is missing or silent", () => {
    expect(textLines(null, said("new"))).toEqual(["+ new"]);
    expect(textLines(null, said())).toEqual(["  No output."]);
  });

  it("has the beginnings of long texts, and says so", () => {
    const long = (word: string) => said(`${word}\n`.repeat(100_000));
    const lines = textLines(long("old"), long("new"));

    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toBe("  … only the first 500 lines of each are compared");
  });
});
