import { describe, expect, it } from "vitest";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";
import { stateProblem } from "../../../src/language/workflow/state-problem.ts";

const RULE = "---\nallowed_transitions:\n  - { tag: goto, target: FIX }\n---\nDo it.";

describe("stateProblem", () => {
  it.each([
    ["A.md", "Do it."],
    ["A.md", RULE],
    ["A.sh", "echo hi"],
    ["A.sh", "# raymond: on_error=FIX"],
    ["A.sh", "# raymond: on_error=FIX.md"],
  ])("has nothing against %s of %j", (name, text) => {
    expect(stateProblem(parseStateFile(name, text), [name, "FIX.md"], "unix")).toBeNull();
  });

  it("reports an unknown on_error with the states and the nearest name", () => {
    const file = parseStateFile("BUILD.sh", "# raymond: on_error=FIXX");

    const problem = stateProblem(file, ["BUILD.sh", "FIX.md"], "unix");

    expect(problem?.message).toMatch(/^Invalid directive on_error=FIXX: .*"FIXX"/);
    expect(problem?.message).toMatch(/Did you mean "FIX\.md"/);
    expect(problem?.at).toEqual({ line: 1, column: 12 });
    expect(problem?.hint).toMatch(/^Correct the name/);
  });

  it("reports an ambiguous on_error, and one for another platform", () => {
    const file = parseStateFile("BUILD.sh", "# raymond: on_error=FIX");

    const said = (names: readonly string[]) => stateProblem(file, names, "unix")?.message;
    expect(said(["FIX.md", "FIX.sh"])).toMatch(/FIX\.md and FIX\.sh/);
    expect(said(["FIX.bat"])).toMatch(/FIX\.bat/);
  });

  it("names a rule that could never be met", () => {
    expect(stateProblem(parseStateFile("A.md", RULE), ["A.md"], "unix")).toMatchObject({
      message: expect.stringMatching(
        /<goto>FIX<\/goto> in allowed_transitions can never match/,
      ) as string,
      at: { line: 3, column: 5 },
      hint: expect.stringMatching(/^Correct the rule/) as string,
    });
  });

  it.each([
    ["", { line: 1 }],
    [" \n\t\n", { line: 3 }],
    ["---\nmodel: a\n---\n", { line: 4 }],
  ])("names the empty prompt of %j", (text, at) => {
    expect(stateProblem(parseStateFile("A.md", text), ["A.md"], "unix")).toMatchObject({
      message: "The prompt is empty.",
      at,
      hint: expect.stringMatching(/^Describe the task/) as string,
    });
  });
});
