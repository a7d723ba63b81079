import { describe, expect, it } from "vitest";
import { isRegression, pairRows, pairsText } from "./compare.ts";
import { sampleOf } from "./measure.ts";
import type { Row } from "./table.ts";

function row(what: string, figure: number, unit: Row["unit"] = "ms"): Row {
  return { what, floor: null, raymond: sampleOf([figure]), unit, target: null };
}

describe("the comparison of two builds", () => {
  it("pairs the rows of each turn by title and unit, and leaves out rows of one build", () => {
    const before = [
      [row("steps", 10), row("sleepers", 1, "s"), row("old", 1)],
      [row("steps", 20), row("sleepers", 2, "s"), row("old", 1)],
    ];
    const after = [
      [row("steps", 11), row("sleepers", 1_000), row("sleepers", 3, "s"), row("new", 1)],
      [row("steps", 21), row("sleepers", 2_000), row("sleepers", 4, "s"), row("new", 1)],
    ];

    const pairs = pairRows(before, after);

    expect(pairs.map(({ what, unit }) => `${what} ${unit}`)).toEqual(["steps ms", "sleepers s"]);
    expect(pairs[0]?.before.values).toEqual([10, 20]);
    expect(pairs[0]?.after.values).toEqual([11, 21]);
    expect(pairs[1]?.after.values).toEqual([3, 4]);
  });

  it("reports a regression only above ten percent, by the ratios of each turn", () => {
    const pair = (before: readonly number[], after: readonly number[]) => ({
      ...{ what: "steps", unit: "ms" as const },
      ...{ before: sampleOf(before), after: sampleOf(after) },
    });

    expect(isRegression(pair([100, 100, 100], [110, 110, 110]))).toBe(false);
    expect(isRegression(pair([100, 100, 100], [111, 111, 111]))).toBe(true);
    // The load doubled in the second turn, for both builds.
    expect(isRegression(pair([100, 200, 100], [105, 210, 105]))).toBe(false);
    expect(isRegression(pair([100, 100, 100], [90, 300, 90]))).toBe(false);
  });

  it("has an empty column without regressions", () => {
    const text = pairsText(pairRows([[row("a", 10)]], [[row("a", 9)]]), "v1.0");

    expect(text.split("\n").slice(0, 3)).toEqual([
      "| what |    v1.0 | this build | ratio |    |",
      "| ---- | ------: | ---------: | ----: | -: |",
      "| a    | 10.0 ms |    9.00 ms |  0.90 |    |",
    ]);
  });

  it("counts the regressions below the table", () => {
    const pairs = pairRows([[row("a", 10), row("b", 10)]], [[row("a", 12), row("b", 9)]]);

    const text = pairsText(pairs, "v1.0");

    expect(text.split("\n").slice(2)).toEqual([
      "| a    | 10.0 ms |    12.0 ms |  1.20 | slower |",
      "| b    | 10.0 ms |    9.00 ms |  0.90 |        |",
      "",
      "1 of 2 figures are more than 10 % larger than in v1.0.",
    ]);
  });
});
