import { describe, expect, it } from "vitest";
import { isCumulative } from "../../../src/clients/claude/output/figures.ts";

describe("isCumulative", () => {
  it.each([
    ["2.1.276", false],
    ["2.1.277", true],
    ["2.1.330", true],
    ["2.2.0", true],
    ["3.0.0", true],
    ["2.0.999", false],
    ["1.9.999", false],
    ["2.1", false],
    ["nonsense", false],
    [null, false],
  ])("%s: %s", (version, expected) => {
    expect(isCumulative(version)).toBe(expected);
  });
});
