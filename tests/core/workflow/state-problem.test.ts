import { describe, expect, it } from "vitest";
import { parseStateFile } from "../../../src/core/workflow/parse-state-file.ts";
import { stateProblem } from "../../../src/core/workflow/state-problem.ts";

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

  it("names an on_error that leads nowhere, what there is, and the nearest name", () => {
    const file = parseStateFile("BUILD.sh", "# raymond: on_error=FIXX");

    const problem = stateProblem(file, ["BUILD.sh", "FIX.md"], "unix");

    expect(problem).toMatch(/^The directive on_error=FIXX leads nowhere\. .*"FIXX"/);
    expect(problem).toMatch(/FIX\.md/);
  });

  it("names an on_error that is not clear, or that runs elsewhere only", () => {
    const file = parseStateFile("BUILD.sh", "# raymond: on_error=FIX");

    expect(stateProblem(file, ["FIX.md", "FIX.sh"], "unix")).toMatch(/FIX\.md or FIX\.sh/);
    expect(stateProblem(file, ["FIX.bat"], "unix")).toMatch(/FIX\.bat/);
  });

  it("names a rule that could never be met", () => {
    expect(stateProblem(parseStateFile("A.md", RULE), ["A.md"], "unix")).toMatch(
      /<goto>FIX<\/goto> in allowed_transitions cannot be met/,
    );
  });
});
