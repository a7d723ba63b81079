import { describe, expect, it } from "vitest";
import { NONE_DECLARED } from "../../../src/language/permissions/declared.ts";
import { parsePrompt } from "../../../src/language/workflow/front-matter.ts";
import type { Capabilities } from "../../../src/machine/backends/backend-facts.ts";
import { backendProblem } from "../../../src/machine/decide/backend-problem.ts";
import { decide } from "../../../src/machine/decide/decide.ts";
import { permissionsOf } from "../../../src/machine/decide/permissions.ts";
import { FRESH } from "../../../src/machine/model/agent.ts";
import { agent } from "../../support/agents.ts";
import { backendFacts } from "../../support/backend-facts.ts";
import { scriptStep } from "../../support/engine/script-step.ts";
import { output, step } from "../../support/outcomes.ts";
import { settings } from "../../support/runs.ts";

const NAMES = ["A.md", "B.md", "POLL.sh", "START.md"];
const LOST = { folders: new Map(), workflows: new Map(), lostSession: "fail" } as const;
const NO_BRANCH = { branch: false };
const NO_RESUME = { branch: false, resume: false };

/** How a state that says this is judged on a backend that can so much. */
function judge(said: string, can: Partial<Capabilities>) {
  return decide(step("Do it.", { backend: backendFacts(can) }), output(said), LOST);
}

describe("a transition that leads farther than the backend can go", () => {
  it("fails the agent, and names the file, the tag and the backend", () => {
    expect(judge('<call return="A">B</call>', NO_BRANCH)).toEqual({
      kind: "fail",
      failure: {
        class: "deterministic",
        message:
          '/repo/workflow/START.md: <call> leads to B.md in a branch of the conversation, but the backend "plain" cannot branch one.',
        hint: "Use <function> instead of <call>: it starts a new conversation. Or use another backend.",
      },
    });
  });

  it.each([
    ["<goto>A</goto>", NO_RESUME],
    ['<fork next="A">B</fork>', NO_RESUME],
    // The caller continues after the result of the called state.
    ['<function return="A">B</function>', NO_RESUME],
  ] as const)("rejects %s without resume", (said, can) => {
    expect(judge(said, can)).toMatchObject({
      kind: "fail",
      failure: {
        message: expect.stringContaining("to A.md in an existing conversation") as string,
      },
    });
  });

  it.each([
    ["<reset>A</reset>", NO_RESUME],
    ["<goto>POLL</goto>", NO_RESUME],
    ['<function return="POLL">B</function>', NO_RESUME],
    ["<result>done</result>", NO_RESUME],
    ["<goto>A</goto>", NO_BRANCH],
    ['<function return="A">B</function>', NO_BRANCH],
    ['<call return="A">POLL</call>', NO_BRANCH],
    ['<call return="A">B</call>', {}],
  ] as const)("%s is taken where the backend can do what it asks: %o", (said, can) => {
    expect(judge(said, can)).toMatchObject({ kind: "move" });
  });

  it("rejects a script that keeps the conversation of the prompt before it", () => {
    const of = (session: Parameters<typeof agent>[0]) =>
      decide(
        scriptStep({ names: NAMES, backend: backendFacts(NO_RESUME), agent: agent(session) }),
        output("<goto>A</goto>", { session: null }),
        LOST,
      );

    expect(of({ session: { mode: "resume", id: "s1" } })).toMatchObject({ kind: "fail" });
    expect(of({ session: FRESH })).toMatchObject({ kind: "move" });
  });
});

describe("backendProblem", () => {
  const problem = (text: string, can: Partial<Capabilities>, changes = {}) => {
    const file = parsePrompt("START.md", text);
    const { call } = permissionsOf(file, NONE_DECLARED, settings(changes));
    return backendProblem(file, NAMES, "unix", call, backendFacts(can));
  };
  const rule = (text: string) => `---\nallowed_transitions:\n  - ${text}\n---\nDo it.`;

  it.each([
    ["{ tag: call, target: B, return: A }", NO_BRANCH, "<call> leads to B.md in a branch"],
    ["{ tag: goto, target: B }", NO_RESUME, "<goto> leads to B.md in an existing conversation"],
    ["{ tag: fork, target: B, next: A }", NO_RESUME, "<fork> leads to A.md"],
  ])("is the rule %s", (text, can, message) => {
    expect(problem(rule(text), can)).toMatchObject({
      at: { line: 3 },
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([
    ["{ tag: call, target: B, return: A }", {}],
    ["{ tag: function, target: B, return: A }", NO_BRANCH],
    ["{ tag: reset, target: B }", NO_RESUME],
    // Which state it will be, the model says.
    ["{ tag: goto }", NO_RESUME],
  ])("is not the rule %s", (text, can) => {
    expect(problem(rule(text), can)).toBeNull();
  });

  it("rejects tool lists of a state or run without support by the backend", () => {
    const words = {
      message: expect.stringContaining("START.md restricts its tools") as string,
    };

    expect(problem("---\ntools: []\n---\nDo it.", { tools: false })).toMatchObject(words);
    expect(problem("Do it.", { tools: false }, { disallowedTools: ["Bash"] })).toMatchObject(words);
    expect(problem("Do it.", { tools: false })).toBeNull();
    expect(problem("---\ntools: []\n---\nDo it.", {})).toBeNull();
  });

  it("rejects required MCP servers if the backend does not report servers", () => {
    const text = "---\nrequire_mcp: [tickets]\n---\nDo it.";

    expect(problem(text, { mcp: false })?.message).toBe(
      'START.md requires MCP servers, but the backend "plain" does not report whether they are connected.',
    );
    expect(problem(text, {})).toBeNull();
    expect(problem("---\nrequire_mcp: []\n---\nDo it.", { mcp: false })).toBeNull();
  });

  it("rejects permissions that the backend cannot enforce", () => {
    const can = { permissions: ["command"] } as const;
    const words = (item: string) => ({
      message: `The backend "plain" cannot enforce the permissions of START.md: ${item}.`,
    });

    expect(problem("---\npermissions: read-only\n---\nDo it.", can)).toMatchObject(
      words("permissions: read-only"),
    );
    expect(problem("---\ndeny: [network(*), command(rm *)]\n---\nDo it.", can)).toMatchObject(
      words("network(*)"),
    );
    expect(problem("Do it.", can, { allow: ["write(docs)"] })).toMatchObject(words("write(docs)"));
    expect(problem("Do it.", can, { permissions: "edit", deny: ["command(rm *)"] })).toBeNull();
  });
});
