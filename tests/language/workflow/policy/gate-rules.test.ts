import { describe, expect, it } from "vitest";
import { parsePrompt } from "../../../../src/language/workflow/front-matter.ts";
import { ruleProblem } from "../../../../src/language/workflow/policy/policy.ts";
import { gateText } from "../../../../src/language/workflow/policy/reminder.ts";

const names = ["A.md", "LATE.md", "TESTS.sh"];
const parse = (rule: string) =>
  parsePrompt("START.md", `---\nallowed_transitions:\n  - { ${rule} }\n---\nDo it.`);
const problemOf = (rule: string) => ruleProblem(parse(rule).rules, names, "unix");

describe("the gate of a rule", () => {
  it("has a state, attempts and on_fail", () => {
    const [rule] = parse("tag: goto, verify: TESTS, attempts: 3, on_fail: LATE").rules ?? [];
    const [plain] = parse("tag: result, verify: TESTS.sh").rules ?? [];

    expect(rule).toMatchObject({ verify: { state: "TESTS", attempts: 3, onFail: "LATE" } });
    expect(plain).toMatchObject({ verify: { state: "TESTS.sh", attempts: 5, onFail: null } });
    expect(rule?.attributes).toEqual({});
  });

  it("passes attributes of these names to a worker without a gate", () => {
    const [rule] = parse('tag: fork, attempts: "", on_fail: x').rules ?? [];

    expect(rule).toMatchObject({ attributes: { attempts: "", on_fail: "x" } });
    expect(rule?.verify).toBeUndefined();
  });

  it.each([
    ["tag: goto, verify: TESTS, attempts: 0", "from 1 to 999"],
    ["tag: goto, verify: TESTS, attempts: many", 'not "many"'],
    ["tag: goto, verify: a/b", "verify"],
    ["tag: goto, verify: [TESTS]", "single value"],
    ["tag: goto, attempts: 3", "requires a gate"],
    ["tag: result, on_fail: A", "requires a gate"],
  ])("is refused with its line: %s", (rule, words) => {
    expect(() => parse(rule)).toThrow(/START\.md:3/);
    expect(() => parse(rule)).toThrow(words);
  });

  it.each([
    ["tag: goto, verify: NOWHERE", "Invalid verify"],
    ["tag: goto, verify: A", "is a prompt"],
    ["tag: goto, verify: TESTS, on_fail: NOWHERE", "Invalid on_fail"],
  ])("is a problem of the workflow, found before anything is paid for: %s", (rule, words) => {
    expect(problemOf(rule)).toMatchObject({ at: { line: 3 } });
    expect(problemOf(rule)?.message).toContain(words);
  });

  it("is valid if both states exist", () => {
    expect(problemOf("tag: goto, verify: TESTS, on_fail: LATE")).toBeNull();
  });
});

describe("gateText", () => {
  const problem = "The gate TESTS.sh failed with exit code 1.";

  it("reports the end of the gate, its output and the allowed tags", () => {
    const text = gateText({ problem, said: "1 red\n\n" }, parse("tag: goto, target: A").rules);

    expect(text).toContain(problem);
    expect(text).toContain("\n\n1 red\n\n");
    expect(text).toContain("<goto>A</goto>");
  });

  it("reports empty output, also without rules", () => {
    const text = gateText({ problem, said: " \n" }, null);

    expect(text).toContain("It printed nothing.");
    expect(text).toContain("exactly one transition tag");
  });
});
