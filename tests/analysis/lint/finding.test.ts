import { describe, expect, it } from "vitest";
import { applyFix, type Finding, locateWord } from "../../../src/analysis/lint/finding.ts";

function finding(changes: Partial<Finding> = {}): Finding {
  return {
    ...{ rule: "RAY201", severity: "error", source: "A.md", at: { line: 2, column: 3 } },
    ...{ message: "It is so.", hint: "Do.", word: "NEXT", hidden: false, fix: null },
    ...changes,
  };
}

const TEXT = "NEXT\n- { tag: goto, target: NEXT }\n- { target: NEXT.md, NEXTER }\n";

describe("the place of a finding", () => {
  it.each([
    ["NEXT", { line: 2, column: 24 }],
    ["NEXT.md", { line: 3, column: 13 }],
    ["NEXTER", { line: 3, column: 22 }],
    ["GONE", { line: 2, column: 3 }],
    [null, { line: 2, column: 3 }],
    ["(", { line: 2, column: 3 }],
  ])("is the position of the word %j", (word, at) => {
    expect(locateWord(finding({ word }), TEXT).at).toEqual(at);
  });
});

describe("applyFix", () => {
  it("changes only the word", () => {
    const fix = { kind: "word", by: "Next" } as const;

    expect(applyFix(locateWord(finding({ fix }), TEXT), TEXT)).toBe(
      "NEXT\n- { tag: goto, target: Next }\n- { target: NEXT.md, NEXTER }\n",
    );
  });

  it("changes nothing if the word is elsewhere", () => {
    expect(applyFix(finding({ fix: { kind: "word", by: "Next" } }), TEXT)).toBeNull();
    expect(applyFix(finding(), TEXT)).toBeNull();
  });
});
