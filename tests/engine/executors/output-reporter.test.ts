import { describe, expect, it } from "vitest";
import { OutputReporter } from "../../../src/engine/executors/output-reporter.ts";

function reported(...pushed: readonly string[]): readonly string[] {
  const texts: string[] = [];
  const output = new OutputReporter((text) => texts.push(text));
  for (const text of pushed) output.push(text);
  output.end();
  return texts;
}

describe("OutputReporter", () => {
  it("reports whole lines at once, and the last line at the end", () => {
    expect(reported("one\ntw", "o\r\nthr", "ee\n\nfour")).toEqual([
      "one",
      "two",
      "three\n",
      "four",
    ]);
  });

  it("skips blank output", () => {
    expect(reported("", "\n", "  \n")).toEqual([]);
  });

  it("reports long lines in pieces", () => {
    expect(reported("x".repeat(5_000), "y")).toEqual(["x".repeat(5_000), "y"]);
  });

  it("counts the omitted characters of a long output", () => {
    const line = `${"x".repeat(1_023)}\n`;
    const texts = reported(...Array.from({ length: 100 }, () => line));

    expect(texts).toHaveLength(65);
    expect(texts.at(-1)).toBe("… 36864 more characters");
  });
});
