import { describe, expect, it } from "vitest";
import type { ExplainSettings } from "../../../src/analysis/explain/describe-environment.ts";
import { explain } from "../../../src/analysis/explain/explain.ts";
import { DEFAULTS } from "../../../src/config/settings.ts";
import { runSettings } from "../../../src/config/switches.ts";
import { NONE_DECLARED } from "../../../src/language/permissions/declared.ts";
import { NO_ENVIRONMENT } from "../../../src/language/workflow/policy/declared-environment.ts";
import type { RunSettings } from "../../../src/machine/model/run-state.ts";
import { findAgent } from "../../../src/wire/agents/agents.ts";
import { outlineOf, promptWith } from "../../support/workflow/outlines.ts";

function explained(
  files: Readonly<Record<string, string>>,
  settings: Partial<RunSettings> = {},
  declared: Partial<ExplainSettings> = {},
) {
  const all = {
    ...runSettings(DEFAULTS),
    ...settings,
    workflowEnv: NO_ENVIRONMENT,
    workflowPermissions: NONE_DECLARED,
    workflowSandbox: null,
    levelsOf: (agent: string) => findAgent(agent)?.levels ?? null,
    ...declared,
  };
  const { about, states } = explain(outlineOf(files), all);
  const of = (name: string) => {
    const found = states.find(({ state }) => state === name);
    if (found === undefined) throw new Error(`${name} is not explained`);
    return found.said;
  };
  return { about, of, order: states.map(({ state }) => state) };
}

describe("explain", () => {
  it("describes the permissions as the coding agent of the state enforces them", () => {
    const agents = explained({
      "START.md": "---\nagent: pi\n---\nGo. <goto>NEXT</goto>",
      "NEXT.md": "---\nagent: codex\n---\nGo.",
    });

    const kept = "Never change: the workflow's files, the state folder and config.toml.";
    expect(agents.of("START.md").may[0]).toMatch(/^Read, create and change every file/);
    expect(agents.of("START.md").may).not.toContain(kept);
    expect(agents.of("NEXT.md").may[0]).toMatch(/^Run any command in a sandbox without network/);
    expect(agents.of("NEXT.md").may).toContain(kept);
  });

  it("describes a script in a container", () => {
    const script = "# raymond: container=node:22 sandbox=write:dist,network:off env=NPM_TOKEN\n";
    const own = explained({ "START.sh": script }).of("START.sh");

    expect(own.runs).toEqual(["A script in a container of node:22."]);
    expect(own.may).toEqual([
      "See no files but those of the image node:22, the working folder and the workflow.",
      "In its container: change only dist, without network.",
      "Read no environment variables of this machine but NPM_TOKEN.",
    ]);
    const other = explained({ "START.sh": script }, { container: "alpine" }).of("START.sh");
    expect(other.may[0]).toBe(
      "Not at all: it asks for the container node:22, and the setting is alpine.",
    );
  });

  it("reports the start of a run, the reachable states and the maximum cost", () => {
    const prompt = (budget: string) =>
      `---\n${budget}allowed_transitions: [{ tag: result }]\n---\nx`;

    expect(explained({ "START.md": prompt(""), "OTHER.md": "x" }).about).toEqual([
      "A run starts at START and can reach 1 prompt and 0 scripts.",
      "It costs at most $10.00, the budget of a run. --budget sets another limit.",
    ]);
    expect(explained({ "START.md": prompt("budget: 2\n") }).about[1]).toContain(
      "at most $2.00, the total budget of its prompts",
    );
    expect(explained({ "START.sh": "" }).about[1]).toBe("It costs nothing: it reaches no prompt.");
    expect(explained({ "START.md": prompt("") }, { budgetMicroUsd: null }).about[1]).toMatch(
      /^Its cost is not limited/,
    );
    expect(explained({ "A.md": "x" }).about).toEqual([expect.stringMatching(/^It cannot run: /)]);
  });

  it("reports the coding agents of each prompt", () => {
    const files = {
      "START.md":
        "---\nagent: [claude, codex]\nmodel: opus\nallowed_transitions: [{ tag: reset, target: B }]\n---\nx",
      "B.md": "x",
    };

    expect(explained(files).of("START.md").runs).toEqual([
      "The model opus of claude answers it. While claude is limited or unavailable: codex.",
    ]);
    expect(explained(files).of("B.md").runs).toEqual(["The client's default model answers it."]);
    expect(explained(files, { agents: ["pi"] }).of("B.md").runs).toEqual([
      "The default model of pi answers it.",
    ]);
  });

  it("reports the fallback model, the turns, the reaction to denied calls and the sandbox", () => {
    const head =
      "fallback_model: haiku\nmax_turns: 3\non_denied: ask\nsandbox: { write: [dist], network: off }\n";
    const files = {
      "START.md": `---\n${head}allowed_transitions: [{ tag: goto, target: B }]\n---\nx`,
      "B.md": "x",
    };
    const inDist = "In a sandbox: change only dist, without network.";
    const workflow = { workflowSandbox: { write: ["."], network: true } };

    const own = explained(files).of("START.md");
    expect(own.runs).toEqual([
      "The client's default model answers it; while it is overloaded, haiku.",
    ]);
    expect(own.bounds).toContain("3 turns of the model in one call.");
    expect(own.may).toEqual(
      expect.arrayContaining([inDist, "Ask a person about calls that are denied."]),
    );
    const none = JSON.stringify(explained(files).of("B.md"));
    for (const word of ["sandbox", "calls that are denied", "turns", "overloaded"]) {
      expect(none).not.toContain(word);
    }
    const settings = {
      fallbackModel: "opus",
      maxTurns: 1,
      onDenied: "fail",
      sandbox: { write: ["/a"], network: true },
    } as const;
    const { may, runs, bounds } = explained(files, settings, workflow).of("B.md");
    expect(runs).toEqual(["The client's default model answers it; while it is overloaded, opus."]);
    expect(bounds).toContain("1 turn of the model in one call.");
    expect(may).toEqual(
      expect.arrayContaining([
        ...["In a sandbox: change only ..", "In a sandbox: change only /a."],
        "Not continue after a denied call: the step fails.",
      ]),
    );
    expect(explained(files, settings, workflow).of("START.md").may).toContain(inDist);
  });

  it("reports the model, the permissions and the limits of a prompt", () => {
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

    expect(explained(files).of("START.md")).toMatchObject({
      runs: ["The model haiku answers it, with low effort."],
      may: [
        "Use only these tools: Read.",
        "Never use: Write.",
        "Not get what it asks for beyond your settings: Bash(npm test).",
        "Never change: the workflow's files, the state folder and config.toml.",
        "Read the base environment variables.",
      ],
      remembers: ["A run starts here, with an empty conversation."],
      bounds: ["20m 00s for all attempts together.", "3 visits per run, then it pauses."],
      costs: ["At most $2.50 for all visits."],
    });
    const open = { skipPermissions: true, protectWorkflow: false };
    expect(explained(files, open).of("START.md").may).toEqual([
      "Do anything without asking: permissions are skipped.",
      "Use only these tools: Read.",
      "Never use: Write.",
      "Read the base environment variables.",
    ]);
    expect(explained({ "START.md": promptWith("tag: result") }).of("START.md").may).toEqual([
      expect.stringMatching(/^Read, create, change and delete files below .* are denied\.$/),
      "Never change: the workflow's files, the state folder and config.toml.",
      "Read the base environment variables.",
    ]);
  });

  it("reports the conversation of a state, by the tag that enters it", () => {
    const { of, order } = explained({
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
    expect(of("ALONE.sh").remembers).toEqual([
      "No run reaches this state, as far as the files show.",
    ]);
    expect(order.at(-1)).toBe("ALONE.sh");
  });

  it("reports the next states, in the words of the tags", () => {
    const { of } = explained({
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
      "goto: B, in the same conversation; only if GATE passes, at most 2 runs; else C",
      "function: B, in a new conversation; its result returns to C",
      "fork: C, and a new agent starts at B with {{item}}, {{part}}",
      "join: C, with the results of all forked agents when they have ended; after 2h: B",
      "reset: GONE (not found), in a new conversation; discards the return stack",
    ]);
    expect(of("B.md")["leads to"]).toEqual([
      "result: back to the caller, or the end of the agent; the payload is DONE; here: the end of the agent, or back to C, or the end of the worker, reported to C",
      "This is the only transition, and needs no tag.",
    ]);
    expect(of("C.sh")["leads to"]).toEqual([
      "reset: a state that is known only at run time, in a new conversation; discards the return stack; after 1h",
    ]);
    expect(of("GATE.sh")).toMatchObject({
      remembers: ["A gate: its exit code decides, and its tags are ignored."],
      "leads to": [],
    });
    expect(of("FREE.md")["leads to"]).toEqual([
      "It has no rules: any tag is allowed. Its text mentions:",
      "goto: B, in the same conversation",
    ]);
  });

  it("reports an invalid state", () => {
    const { of } = explained({ "START.md": promptWith("tag: goto, target: GONE") });

    expect(of("START.md").runs[0]).toMatch(/^It cannot be entered: .*GONE/);
  });
});
