import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lintWorkflow } from "../../../src/analysis/lint/lint-workflow.ts";
import { lintFacts } from "../../support/workflow/lint-facts.ts";

function found(files: Readonly<Record<string, string>>): readonly string[] {
  return lintWorkflow(lintFacts(files)).map(({ rule, severity, source }) =>
    [source, rule, severity].join(" "),
  );
}

describe("lintWorkflow", () => {
  it("ignores unreachable files that do not look like states", () => {
    expect(
      found({
        "START.md": "End with <result>x</result>",
        "README.md": "---\nname: x\n---\nIt shows <goto>NOWHERE</goto>",
        "notes.md": "Some notes.",
        "lib.sh": "source me",
      }),
    ).toEqual([]);
  });

  it("reports unreachable errors as warnings", () => {
    const broken = "---\nallowed_transitions:\n  - { tag: goto, target: GONE }\n---\nx";

    expect(found({ "START.md": "<result>x</result>", "OLD.md": broken })).toEqual([
      "OLD.md RAY201 warning",
      "OLD.md RAY105 warning",
    ]);
    expect(found({ "START.md": broken })).toEqual(["START.md RAY201 error"]);
  });

  it("reports no errors for mentioned tags", () => {
    expect(found({ "START.md": "End with <goto>GONE</goto>" })).toEqual([
      "START.md RAY201 warning",
    ]);
  });

  it("accepts targets that are known only at run time", () => {
    expect(
      found({
        "START.sh": 'echo "<goto>$next</goto>"',
        "A.md": "<goto>START</goto>",
        "B.md": "<result>x</result>",
      }),
    ).toEqual([]);
  });

  it("reports two states that only lead to each other", () => {
    expect(
      found({
        "START.md": "<result>x</result>",
        "A.sh": "echo '<goto>B</goto>'",
        "B.sh": "echo '<goto>A</goto>'",
      }),
    ).toEqual(["A.sh RAY105 warning", "B.sh RAY105 warning"]);
  });

  it("reports a dead end once", () => {
    expect(
      found({
        "START.sh": "echo '<goto>A</goto>'",
        "A.sh": "echo '<goto>B</goto>'",
        "B.sh": "echo '<goto>C</goto>'",
        "C.sh": "echo '<goto>B</goto>'",
      }),
    ).toEqual(["B.sh RAY401 warning"]);
  });

  it("finds a result after a call, unless the called state never returns", () => {
    const call = "echo '<call return=\"END\">CHILD</call>'";
    const end = "echo '<result>x</result>'";

    expect(found({ "START.sh": call, "CHILD.sh": end, "END.sh": end })).toEqual([]);
    expect(
      found({ "START.sh": call, "CHILD.sh": "echo '<goto>CHILD</goto>'", "END.sh": end }),
    ).toEqual(["START.sh RAY402 warning"]);
  });

  it("finds a loop of prompts, unless it is limited or contains a script", () => {
    const loop = (head: string) => `${head}<goto>START</goto> or <result>x</result>`;

    expect(found({ "START.md": loop("") })).toEqual(["START.md RAY404 warning"]);
    expect(found({ "START.md": loop("---\nmax_visits: 3\n---\n") })).toEqual([]);
    expect(found({ "START.md": loop("---\nbudget: 3\n---\n") })).toEqual([]);
    expect(
      found({
        "START.md": "<goto>B</goto> <result>x</result>",
        "B.sh": "echo '<goto>START</goto>'",
      }),
    ).toEqual([]);
  });

  it("finds an endless context handover, by a prompt or a script", () => {
    const work =
      "---\nmax_visits: 3\nmax_context: 1k\non_context: B\n---\n<goto>START</goto> <result/>";
    const prompt = (head: string, tag: string) => ({
      "START.md": work,
      "B.md": `${head}<${tag}>START</${tag}>`,
    });

    expect(found(prompt("", "goto"))).toEqual(["B.md RAY406 warning"]);
    expect(found({ "START.md": work, "B.sh": "echo '<goto>START</goto>'" })).toEqual([
      "B.sh RAY406 warning",
    ]);
    expect(found(prompt("---\nmax_visits: 3\n---\n", "goto"))).toEqual([]);
    expect(found(prompt("", "reset"))).toEqual([]);
  });

  it("knows which agents have which variables", () => {
    const files = {
      "START.sh": 'echo "<fork item=\\"1\\">W</fork><join>END</join>"',
      "W.md": "{{item}} <goto>W2</goto>",
      "W2.md": "{{item}} {{itme}} {{agent_id}} <result>x</result>",
      "END.md": "{{result}} {{item}} <result>x</result>",
    };

    expect(lintWorkflow(lintFacts(files)).map(({ message }) => message)).toEqual([
      "Undefined placeholder {{item}}.",
      "Undefined placeholder {{itme}}. Did you mean {{item}}?",
    ]);
  });

  it("knows which states have a payload", () => {
    const at = (first: string) =>
      found({ "START.sh": first, "NEXT.md": "{{result}} {{input}} <result>x</result>" });

    expect(at("echo '<goto>NEXT</goto>'")).toEqual([
      "NEXT.md RAY601 warning",
      "NEXT.md RAY601 warning",
    ]);
    expect(at("echo '<goto input=\"x\">NEXT</goto>'")).toEqual([]);
    expect(at("echo '<ask next=\"NEXT\">Well?</ask>'")).toEqual([]);
    expect(at("# raymond: on_error=NEXT\necho '<result>x</result>'")).toEqual([]);
  });

  it("finds an error for every state that a run refuses", () => {
    const name = fc.constantFrom("A", "B.md", "C", "C.sh", "GONE", "D");
    const rule = fc.oneof(
      name.map((target) => `{ tag: goto, target: ${target} }`),
      fc
        .tuple(name, name)
        .map(([target, back]) => `{ tag: call, target: ${target}, return: ${back} }`),
      fc
        .tuple(name, name)
        .map(([gate, fail]) => `{ tag: result, verify: ${gate}, on_fail: ${fail} }`),
    );
    const body = fc.constantFrom("x", "");

    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 3 }), body, (rules, text) => {
        const files = {
          "START.md": `---\nallowed_transitions: [${rules.join(", ")}]\n---\n${text}`,
          ...{ "A.md": "<result/>", "B.md": "<result/>", "C.sh": "#", "D.md": "x", "D.sh": "#" },
        };
        const facts = lintFacts(files);
        const start = facts.outline.states.find((state) => state.name === "START.md");
        const errors = lintWorkflow(facts).filter(
          ({ severity, source }) => severity === "error" && source === "START.md",
        );
        expect(errors.length > 0).toBe(start?.ok === true && start.problem !== null);
      }),
    );
  });
});
