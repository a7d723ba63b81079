import { describe, expect, it } from "vitest";
import { diffLines } from "../../../src/language/basics/line-diff.ts";

describe("diffLines", () => {
  it("marks items of only one list, by the longest common subsequence", () => {
    expect(diffLines(["a", "b", "c"], ["a", "x", "c", "d"])).toEqual([
      ..."  a|- b|+ x|  c|+ d".split("|"),
    ]);
    expect(diffLines(["a", "b", "a"], ["b", "a", "a"])).toEqual(["- a", "  b", "  a", "+ a"]);
  });

  it("handles an empty list", () => {
    expect(diffLines([], ["a"])).toEqual(["+ a"]);
    expect(diffLines(["a"], [])).toEqual(["- a"]);
    expect(diffLines([], [])).toEqual([]);
  });

  it("shows of a long row that both have its ends, and how much lies between", () => {
    const same = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

    expect(diffLines(["a", ...same, "b"], ["x", ...same, "y", "z"])).toEqual([
      ..."- a|+ x|  1|  2|  3|  … 3 more|  7|  8|  9|- b|+ y|+ z".split("|"),
    ]);
    expect(diffLines(["a", ...same], ["x", ...same]).at(-1)).toBe("  … 6 more");
  });
});
