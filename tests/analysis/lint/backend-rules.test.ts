import { describe, expect, it } from "vitest";
import { lintWorkflow } from "../../../src/analysis/lint/lint-workflow.ts";
import { backendFacts } from "../../support/backend-facts.ts";
import { lintFacts } from "../../support/workflow/lint-facts.ts";

const prompt = (keys: string, rule: string, text = "Do it.") =>
  `---\n${keys}${keys === "" ? "" : "\n"}allowed_transitions: [${rule}]\n---\n${text}\n`;
const GOTO = "{ tag: goto, target: NEXT }";
const END = "{ tag: result }";

const found = (files: Readonly<Record<string, string>>) =>
  lintWorkflow(lintFacts(files))
    .filter(({ rule }) => rule === "RAY607" || rule === "RAY608")
    .map(({ rule, severity, source, message }) => ({ rule, severity, source, message }));

describe("RAY607", () => {
  it.each([
    ["goto", GOTO],
    ["call", "{ tag: call, target: NEXT, return: LAST }"],
    ["fork with next", "{ tag: fork, target: LAST, next: NEXT }"],
  ])("reports a conversation that another agent would continue, by %s", (_, rule) => {
    const files = {
      "START.md": prompt("agent: codex", rule),
      "NEXT.md": prompt("agent: claude", END),
      "LAST.md": prompt("", END),
    };
    expect(found(files)).toEqual([
      {
        ...{ rule: "RAY607", severity: "error", source: "START.md" },
        message:
          "NEXT.md names the coding agent claude, but continues a conversation of codex, which only codex can continue.",
      },
    ]);
  });

  it.each([
    ["reset", "{ tag: reset, target: NEXT }"],
    ["function", "{ tag: function, target: NEXT, return: LAST }"],
    ["fork of a worker", "{ tag: fork, target: NEXT, next: LAST }"],
  ])("accepts a new conversation by %s", (_, rule) => {
    const files = {
      "START.md": prompt("agent: codex", rule),
      "NEXT.md": prompt("agent: claude", END),
      "LAST.md": prompt("", END),
    };
    expect(found(files)).toEqual([]);
  });

  it("follows states that name no agent, and scripts", () => {
    const files = {
      "START.md": prompt("agent: codex", "{ tag: goto, target: MORE }"),
      "MORE.md": prompt("", "{ tag: goto, target: POLL }"),
      "POLL.sh": "echo '<goto>NEXT</goto>'",
      "NEXT.md": prompt("agent: claude", END),
    };
    // A tag in a text may be an example.
    expect(found(files)).toMatchObject([{ severity: "warning", source: "POLL.sh" }]);
    expect(found({ ...files, "NEXT.md": prompt("agent: codex", END) })).toEqual([]);
  });

  it("compares with the setting, and warns if only a fallback differs", () => {
    const usual = { "START.md": prompt("", GOTO), "NEXT.md": prompt("agent: codex", END) };
    expect(found(usual)).toMatchObject([{ severity: "error" }]);

    const fallback = {
      "START.md": prompt("agent: [claude, codex]", GOTO),
      "NEXT.md": prompt("agent: claude", END),
    };
    expect(found(fallback)).toMatchObject([{ severity: "warning" }]);
    const both = { ...fallback, "NEXT.md": prompt("agent: [codex, claude]", END) };
    expect(found(both)).toEqual([]);
  });

  it("accepts a first conversation after scripts", () => {
    const files = {
      "START.sh": "echo '<goto>NEXT</goto>'",
      "NEXT.md": prompt("agent: codex", END),
    };
    expect(found(files)).toEqual([]);
  });
});

describe("RAY603", () => {
  it("checks a state with the agents that it names", () => {
    const files = {
      "START.md": prompt("agent: codex\ntools: [Read]", "{ tag: reset, target: NEXT }"),
      "NEXT.md": prompt("tools: [Read]", END),
    };
    const facts = lintFacts(files);
    const known = [backendFacts({}, "claude"), backendFacts({ tools: false }, "codex")];
    const findings = lintWorkflow({ ...facts, agents: { ...facts.agents, known } });

    const own = findings.filter(({ rule }) => rule === "RAY603");
    expect(own).toMatchObject([{ source: "START.md", severity: "error" }]);
  });
});

describe("RAY608", () => {
  it("names an unknown agent, with a suggestion", () => {
    const files = { "START.md": prompt("agent: [claude, codxe]", END) };
    const [finding] = lintWorkflow(lintFacts(files)).filter(({ rule }) => rule === "RAY608");

    expect(finding).toMatchObject({
      severity: "error",
      message: 'Unknown coding agent "codxe".',
      hint: expect.stringContaining("Did you mean codex?") as string,
      word: "codxe",
    });
  });
});
