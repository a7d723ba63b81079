import { describe, expect, it } from "vitest";
import { explain } from "../../../src/analysis/explain/explain.ts";
import { DEFAULTS } from "../../../src/config/settings.ts";
import { runSettings } from "../../../src/config/switches.ts";
import type { RunSettings } from "../../../src/machine/run-state.ts";
import { outlineOf, promptWith } from "../../support/workflow/outlines.ts";

function told(files: Readonly<Record<string, string>>, settings: Partial<RunSettings> = {}) {
  const { about, states } = explain(outlineOf(files), { ...runSettings(DEFAULTS), ...settings });
  const of = (name: string) => {
    const found = states.find(({ state }) => state === name);
    if (found === undefined) throw new Error(`nothing is said of ${name}`);
    return found.said;
  };
  return { about, of, order: states.map(({ state }) => state) };
}

describe("what is said of a workflow", () => {
  it("is where a run begins, what it comes to, and what it may cost at most", () => {
    const prompt = (budget: string) =>
      `---\n${budget}allowed_transitions: [{ tag: result }]\n---\nx`;

    expect(told({ "START.md": prompt(""), "OTHER.md": "x" }).about).toEqual([
      "A run begins at START, and may come to 1 prompt and 0 scripts.",
      "It may cost $10.00 at most, the budget of a run here; --budget sets another limit.",
    ]);
    expect(told({ "START.md": prompt("budget: 2\n") }).about[1]).toContain(
      "$2.00 at most, what its prompts may cost together",
    );
    expect(told({ "START.sh": "" }).about[1]).toBe("It costs nothing: no prompt is in its way.");
    expect(told({ "START.md": prompt("") }, { budgetMicroUsd: null }).about[1]).toMatch(
      /^Nothing bounds/,
    );
    expect(told({ "A.md": "x" }).about).toEqual([expect.stringMatching(/^It cannot be run: /)]);
  });

  it("is who answers a prompt, with which permissions, and what bounds it", () => {
    const files = {
      "START.md": `---
model: haiku
effort: low
timeout: 20m
budget: 2.50
max_visits: 3
tools: [Read]
allowed_tools: ["Bash(npm test)"]
disallowed_tools: [Write]
allowed_transitions: [{ tag: result }]
---
x`,
    };

    expect(told(files).of("START.md")).toMatchObject({
      runs: ["The model haiku answers it, with low effort."],
      may: [
        "Use only these tools: Read.",
        "Use without a permission: Bash(npm test).",
        "Never use: Write.",
        "Never change: the workflow's files, the state folder and config.toml.",
      ],
      remembers: ["A run begins here, with an empty conversation."],
      bounds: ["20m 00s for all its attempts together.", "3 visits in a run, then it pauses."],
      costs: ["$2.50 at most, all its visits together."],
    });
    const open = { skipPermissions: true, protectWorkflow: false };
    expect(told(files, open).of("START.md").may).toEqual([
      "Do anything without asking: permissions are skipped.",
    ]);
    expect(told({ "START.md": promptWith("tag: result") }).of("START.md").may).toEqual([
      expect.stringMatching(/^Read, create, change and delete files below .* are denied\.$/),
      "Never change: the workflow's files, the state folder and config.toml.",
    ]);
  });

  it("is what a state remembers, by the tag that leads there", () => {
    const { of, order } = told({
      "START.md": promptWith("tag: call, target: B, return: C", "tag: fork, target: W, next: C"),
      "B.md": promptWith("tag: result"),
      "C.sh": "# raymond: on_error=D\necho '<reset>D</reset>'",
      "D.md": promptWith("tag: result"),
      "W.md": promptWith("tag: result"),
      "ALONE.sh": "",
    });

    expect(of("B.md").remembers).toEqual([
      "by call from START: branches the caller's, once; then its own",
    ]);
    expect(of("C.sh").remembers).toEqual([
      "by fork from START: resumes the current one",
      "by result from B: resumes the frame's, at its return state",
    ]);
    expect(of("D.md").remembers).toEqual([
      "by on_error from C: resumes the current one",
      "by reset from C: fresh",
    ]);
    expect(of("W.md").remembers).toEqual(["by fork from START: fresh"]);
    expect(of("ALONE.sh").remembers).toEqual(["No run comes here, as far as the files say it."]);
    expect(order.at(-1)).toBe("ALONE.sh");
  });

  it("is where a state leads, in the words of its tags", () => {
    const { of } = told({
      "START.md": promptWith(
        "tag: goto, target: B, verify: GATE, attempts: 2, on_fail: C",
        "tag: function, target: B, return: C",
        'tag: fork, target: B, next: C, item: "", part: ""',
        "tag: join, target: C, timeout: 2h, timeout_next: B",
        "tag: reset, target: GONE",
      ),
      "B.md": promptWith("tag: result, payload: DONE"),
      "C.sh": "echo \"<reset delay='1h'>$next</reset>\"",
      "GATE.sh": "echo '<goto>B</goto>'",
      "FREE.md": "Say <goto>B</goto>.",
    });

    expect(of("START.md")["leads to"]).toEqual([
      "goto: B, in the same conversation; only when GATE passes, 2 runs at most; else C",
      "function: B, in a new conversation; its result returns to C",
      "fork: C, and a new agent starts at B with {{item}}, {{part}}",
      "join: C, with the results of all forked agents when they have ended; after 2h: B",
      "reset: GONE (which is not there), in a new conversation; discards the return stack",
    ]);
    expect(of("B.md")["leads to"]).toEqual([
      "result: back to the caller, or the end of the agent; the answer is DONE; here: the end of the agent, or back at C, or the end of the worker, told at C",
      "This is the only way on, and needs no tag.",
    ]);
    expect(of("C.sh")["leads to"]).toEqual([
      "reset: a place that only a run tells, in a new conversation; discards the return stack; after 1h",
    ]);
    expect(of("GATE.sh")).toMatchObject({
      remembers: ["It is a gate: its exit code decides, and its tags are not read."],
      "leads to": [],
    });
    expect(of("FREE.md")["leads to"]).toEqual([
      "It has no rules, so any tag will do; its text shows:",
      "goto: B, in the same conversation",
    ]);
  });

  it("is what is wrong with a state", () => {
    const { of } = told({ "START.md": promptWith("tag: goto, target: GONE") });

    expect(of("START.md").runs[0]).toMatch(/^It cannot be entered as it is: .*GONE/);
  });
});
