import { describe, expect, it } from "vitest";
import { ToldOutput } from "../../src/executors/told-output.ts";

function told(...pushed: readonly string[]): readonly string[] {
  const texts: string[] = [];
  const output = new ToldOutput((text) => texts.push(text));
  for (const text of pushed) output.push(text);
  output.end();
  return texts;
}

describe("the output of a script, as it is told", () => {
  it("comes in whole lines, as soon as they are there, and its last line at the end", () => {
    expect(told("one\ntw", "o\r\nthr", "ee\n\nfour")).toEqual(["one", "two", "three\n", "four"]);
  });

  it("is not told where it is blank", () => {
    expect(told("", "\n", "  \n")).toEqual([]);
  });

  it("comes in pieces where no line ends", () => {
    expect(told("x".repeat(5_000), "y")).toEqual(["x".repeat(5_000), "y"]);
  });

  it("ends, once it is long, with how much is left out", () => {
    const line = `${"x".repeat(1_023)}\n`;
    const texts = told(...Array.from({ length: 100 }, () => line));

    expect(texts).toHaveLength(65);
    expect(texts.at(-1)).toBe("… 36864 more characters");
  });
});
