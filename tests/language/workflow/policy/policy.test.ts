import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Transition } from "../../../../src/language/protocol/transition.ts";
import {
  impliedTransition,
  printRules,
  ruleProblem,
} from "../../../../src/language/workflow/policy/policy.ts";
import type { Rule } from "../../../../src/language/workflow/policy/rule.ts";
import { resolveTransition } from "../../../../src/language/workflow/resolve.ts";
import { allows } from "../../../support/workflow/rules.ts";

const names = ["A.md", "B.md", "C.sh", "WORK.bat"];

const AT = { line: 3, column: 5 };

function rule(tag: Rule["tag"], rest: Partial<Rule> = {}): Rule {
  return { tag, attributes: {}, at: AT, ...rest };
}

const fork = (rest: Partial<Extract<Transition, { tag: "fork" }>> = {}): Transition => {
  return { tag: "fork", target: "A.md", next: "B.md", attributes: {}, ...rest };
};

describe("allows", () => {
  const check = (rules: readonly Rule[] | null, transition: Transition) => {
    return allows(rules, transition, names, "unix");
  };

  it.each([
    [
      "the same state by a bare name",
      rule("goto", { target: "A" }),
      { tag: "goto", target: "A.md" },
      true,
    ],
    [
      "the same script by a bare name",
      rule("reset", { target: "C" }),
      { tag: "reset", target: "C.sh" },
      true,
    ],
    ["any target", rule("goto"), { tag: "goto", target: "B.md" }, true],
    ["another target", rule("goto", { target: "A" }), { tag: "goto", target: "B.md" }, false],
    ["another tag", rule("goto", { target: "A" }), { tag: "reset", target: "A.md" }, false],
    [
      "a target that is not there",
      rule("goto", { target: "X" }),
      { tag: "goto", target: "A.md" },
      false,
    ],
    [
      "the same return",
      rule("call", { returnTo: "B" }),
      { tag: "call", target: "A.md", returnTo: "B.md" },
      true,
    ],
    [
      "another return",
      rule("call", { target: "A", returnTo: "B" }),
      { tag: "call", target: "A.md", returnTo: "C.sh" },
      false,
    ],
    [
      "another callee",
      rule("function", { target: "B", returnTo: "B" }),
      { tag: "function", target: "A.md", returnTo: "B.md" },
      false,
    ],
    ["any result", rule("result"), { tag: "result", payload: "x" }, true],
    [
      "any folder of a reset",
      rule("reset", { attributes: { cd: "/a" } }),
      { tag: "reset", target: "A.md" },
      true,
    ],
    ["the same next", rule("fork", { next: "B" }), fork(), true],
    ["another next", rule("fork", { next: "A" }), fork(), false],
    ["another worker", rule("fork", { target: "B" }), fork(), false],
    [
      "attributes that no rule names",
      rule("fork"),
      fork({ attributes: { item: "1" }, cd: "x" }),
      true,
    ],
    ["an attribute that is missing", rule("fork", { attributes: { item: "" } }), fork(), false],
    [
      "an attribute with any value",
      rule("fork", { attributes: { item: "" } }),
      fork({ attributes: { item: "" } }),
      true,
    ],
    [
      "an attribute with this value",
      rule("fork", { attributes: { item: "1" } }),
      fork({ attributes: { item: "1" } }),
      true,
    ],
    [
      "an attribute with another value",
      rule("fork", { attributes: { item: "1" } }),
      fork({ attributes: { item: "01" } }),
      false,
    ],
    ["a name of the prototype", rule("fork", { attributes: { toString: "" } }), fork(), false],
    ["a folder that is missing", rule("fork", { attributes: { cd: "" } }), fork(), false],
    ["a folder", rule("fork", { attributes: { cd: "/a" } }), fork({ cd: "/a" }), true],
  ] as const)("judges %s", (_, allowed, transition, expected) => {
    expect(check([allowed], transition)).toBe(expected);
  });

  it("allows everything without rules, and otherwise what one rule allows", () => {
    expect(check(null, { tag: "goto", target: "A.md" })).toBe(true);
    expect(check([rule("result"), rule("goto")], { tag: "goto", target: "A.md" })).toBe(true);
    expect(check([], { tag: "goto", target: "A.md" })).toBe(false);
  });
});

describe("impliedTransition", () => {
  it.each([
    [rule("goto", { target: "A" }), { tag: "goto", target: "A" }],
    [
      rule("reset", { target: "A", attributes: { cd: "x" } }),
      { tag: "reset", target: "A", cd: "x" },
    ],
    [rule("call", { target: "A", returnTo: "B" }), { tag: "call", target: "A", returnTo: "B" }],
    [
      rule("function", { target: "A", returnTo: "B" }),
      { tag: "function", target: "A", returnTo: "B" },
    ],
    [
      rule("fork", { target: "A", next: "B", attributes: { cd: "x", item: "1" } }),
      { tag: "fork", target: "A", next: "B", cd: "x", attributes: { item: "1" } },
    ],
  ] as const)("is implied by %j", (only, transition) => {
    expect(impliedTransition([only])).toEqual(transition);
  });

  it.each([
    [[rule("result")]],
    [[rule("goto")]],
    [[rule("reset", { target: "A", attributes: { cd: "" } })]],
    [[rule("call", { target: "A" })]],
    [[rule("function", { returnTo: "B" })]],
    [[rule("fork", { target: "A" })]],
    [[rule("fork", { target: "A", next: "B", attributes: { item: "" } })]],
    [[rule("goto", { target: "A" }), rule("result")]],
    [[rule("goto", { target: "A" }), rule("goto", { target: "A" })]],
    [[]],
    [null],
  ])("is nothing for %j", (rules) => {
    expect(impliedTransition(rules)).toBeNull();
  });
});

describe("ruleProblem", () => {
  it("is null if every name resolves, and without rules", () => {
    const rules = [
      rule("goto", { target: "A" }),
      rule("call", { target: "C", returnTo: "B.md" }),
      rule("fork", { next: "A" }),
      rule("result"),
    ];

    expect(ruleProblem(rules, names, "unix")).toBeNull();
    expect(ruleProblem(null, names, "unix")).toBeNull();
  });

  it.each([
    [rule("goto", { target: "X" }), /<goto>X<\/goto> .*Unknown state "X"/],
    [
      rule("call", { target: "A", returnTo: "X" }),
      /<call return="X">A<\/call> .*Unknown state "X"/,
    ],
    [rule("fork", { next: "X" }), /<fork next="X">STATE<\/fork> .*Unknown state "X"/],
    [rule("goto", { target: "WORK" }), /Windows only/],
  ])("names the rule %j that could never be met", (bad, message) => {
    const problem = ruleProblem(
      [rule("result"), { ...bad, at: { line: 4, column: 5 } }],
      names,
      "unix",
    );

    expect(problem?.message).toMatch(message);
    expect(problem?.at).toEqual({ line: 4, column: 5 });
  });

  it("finds a value that a batch worker could never be given", () => {
    const bad = rule("fork", {
      target: "WORK",
      next: "A",
      attributes: { cd: "C:\\50%", item: "50%" },
    });
    const good = rule("fork", { target: "WORK", next: "A", attributes: { cd: "C:\\50%" } });

    expect(ruleProblem([bad], names, "windows")?.message).toMatch(/item/);
    expect(ruleProblem([good], names, "windows")).toBeNull();
  });
});

describe("printRules", () => {
  it("prints each rule as a complete tag, with placeholders for open parts", () => {
    const rules = [
      rule("goto", { target: "A.md" }),
      rule("goto"),
      rule("reset", { target: "A", attributes: { cd: "" } }),
      rule("call", { target: "A" }),
      rule("function", { target: "A", returnTo: "B" }),
      rule("fork", { target: "A", next: "B", attributes: { item: "", cd: "/x", kind: "a" } }),
      rule("result"),
    ];

    expect(printRules(rules)).toEqual([
      "<goto>A.md</goto>",
      "<goto>STATE</goto>",
      '<reset cd="FOLDER">A</reset>',
      '<call return="STATE">A</call>',
      '<function return="B">A</function>',
      '<fork next="B" cd="/x" item="VALUE" kind="a">A</fork>',
      "<result>your result</result>",
    ]);
    expect(printRules(null)).toEqual([]);
  });
});

it("a rule allows the transition that it implies", () => {
  const state = fc.constantFrom("A", "A.md", "B", "C", "C.sh");
  const anyRule: fc.Arbitrary<Rule> = fc.oneof(
    fc.record({
      tag: fc.constantFrom("goto", "reset"),
      target: state,
      attributes: fc.constant({}),
      at: fc.constant(AT),
    }),
    fc.record({
      tag: fc.constantFrom("call", "function"),
      target: state,
      returnTo: state,
      attributes: fc.constant({}),
      at: fc.constant(AT),
    }),
    fc.record({
      tag: fc.constant("fork" as const),
      target: state,
      next: state,
      attributes: fc.dictionary(fc.constantFrom("item", "cd", "kind"), fc.string({ minLength: 1 })),
      at: fc.constant(AT),
    }),
  );
  fc.assert(
    fc.property(anyRule, (only) => {
      const implied = impliedTransition([only]);
      expect(implied).not.toBeNull();
      if (implied === null) return;

      const resolved = resolveTransition(implied, names, "unix");
      expect(resolved.ok && allows([only], resolved.transition, names, "unix")).toBe(true);
    }),
  );
});
