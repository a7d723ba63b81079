import { describe, expect, it } from "vitest";
import { promptExecutor } from "../../../src/engine/executors/prompt.ts";
import {
  type Backend,
  type Invocation,
  onlyBackend,
  type Reply,
} from "../../../src/engine/ports/backend.ts";
import { NONE_DECLARED } from "../../../src/language/permissions/declared.ts";
import { parsePrompt } from "../../../src/language/workflow/front-matter.ts";
import { NO_ENVIRONMENT } from "../../../src/language/workflow/policy/declared-environment.ts";
import type { Capabilities } from "../../../src/machine/backends/backend-facts.ts";
import { permissionsOf } from "../../../src/machine/decide/permissions.ts";
import type { Step } from "../../../src/machine/decide/step.ts";
import type { Agent } from "../../../src/machine/model/agent.ts";
import type { RunSettings } from "../../../src/machine/model/run-state.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { witness } from "../../contracts/backend.ts";
import { agent, running } from "../../support/agents.ts";
import { backendFacts } from "../../support/backend-facts.ts";
import { cancellation } from "../../support/cancellation.ts";
import { settings } from "../../support/runs.ts";

const SETTINGS = settings({ model: "sonnet", budgetMicroUsd: null, allowedTools: ["Edit"] });

const ANSWER: Reply = {
  kind: "reply",
  text: "Done. <goto>B</goto>",
  session: "s1",
  capped: false,
  denials: [],
  spend: { ...NO_SPEND, costMicroUsd: 5 },
  exitCode: 0,
};

interface Setting {
  readonly text?: string;
  readonly agent?: Partial<Agent>;
  readonly step?: Partial<Step>;
  readonly settings?: Partial<RunSettings>;
  readonly reply?: Reply;
  readonly can?: Partial<Capabilities>;
}

function stepOf({
  text = "Do it.",
  agent: changes = {},
  step = {},
  settings = {},
  can = {},
}: Setting): Step {
  const file = parsePrompt("START.md", text);
  return {
    run: "wf-1",
    agent: agent(changes),
    file,
    path: "/scope/START.md",
    source: "/scope/START.md",
    scopeDir: "/scope",
    names: ["START.md", "B.md"],
    platform: "unix",
    settings: { ...SETTINGS, ...settings },
    environment: { kind: "prompt", pass: null, set: {}, secret: [] },
    backend: backendFacts(can),
    cwd: "/work",
    launchDir: "/work",
    process: 1,
    attempt: 1,
    token: "t.1",
    session: { mode: "resume", id: "s1" },
    capMicroUsd: 500_000,
    deadline: null,
    withheld: [],
    gated: null,
    permissions: permissionsOf(file, NONE_DECLARED, { ...SETTINGS, ...settings }).call,
    deniedPaths: [],
    ...step,
  };
}

/** Runs one step on a backend that remembers what it was asked. */
async function run(setting: Setting) {
  const calls: Invocation[] = [];
  const backend: Backend = {
    ...backendFacts(setting.can),
    recover: () => Promise.resolve(null),
    invoke: (call) => {
      calls.push(call);
      return Promise.resolve(setting.reply ?? ANSWER);
    },
  };
  let time = 0;
  const executor = promptExecutor(onlyBackend(backend), () => (time += 25));
  const seen = witness();
  const prompts: string[] = [];
  const recorder = { ...seen.recorder, prompt: (text: string) => prompts.push(text) };
  const execute = () => executor.execute(stepOf(setting), cancellation(), seen.listener, recorder);
  const outcome = await execute();
  return { outcome, call: calls[0], calls, prompts, warnings: seen.calls, execute };
}

const RULES = "---\nallowed_transitions:\n  - { tag: goto, target: B }\n  - { tag: result }\n---\n";
const FAULT = { code: "no-tag", message: "No transition tag found." } as const;

describe("promptExecutor", () => {
  it("sends the prompt with its placeholders filled, and records it", async () => {
    const { call, prompts } = await run({
      text: "Review {{item}}: {{result}}",
      agent: { attributes: { item: "x" }, pendingResult: "fine" },
    });

    expect(call?.prompt).toBe("Review x: fine");
    expect(call?.variables).toMatchObject({ item: "x", result: "fine" });
    expect(prompts).toEqual(["Review x: fine"]);
  });

  it("fills in the payload by both names, the run, the agent and the state folder", async () => {
    const { call } = await run({
      text: "{{result}}={{input}} of {{agent_id}} in {{workflow_id}}: {{state_dir}}",
      agent: { id: "main_w1", pendingResult: "fine" },
    });

    expect(call?.prompt).toBe("fine=fine of main_w1 in wf-1: /scope");
  });

  it("prefers a built-in value to an attribute of the same name, and warns once", async () => {
    const { call, warnings, execute } = await run({
      text: "Do\n{{agent_id}} {{input}} {{item}}",
      agent: { attributes: { agent_id: "x", input: "y", workflow_id: "z", item: "7" } },
    });

    await execute();

    expect(call?.prompt).toBe("Do\nmain y 7");
    expect(warnings).toEqual([
      "warning /scope/START.md:2: {{agent_id}} is a built-in value that hides the attribute of the same name. Rename the attribute.",
    ]);
  });

  it("warns once of a name without a value", async () => {
    const { warnings, execute } = await run({ text: "{{oops}} and {{oops}}" });

    await execute();

    expect(warnings).toEqual([
      "warning /scope/START.md:1: {{oops}} has no value and is left unchanged.",
    ]);
  });

  it.each(["", "  \n\t", "---\nmodel: opus\n---\n\n"])(
    "rejects an empty prompt before any cost",
    async (text) => {
      const { outcome, calls } = await run({ text });

      expect(outcome).toMatchObject({
        kind: "failure",
        class: "deterministic",
        message: expect.stringMatching(
          /^\/scope\/START\.md:\d:1: The prompt is empty\.$/,
        ) as string,
      });
      expect(calls).toEqual([]);
    },
  );

  it("rejects a prompt that is empty after substitution", async () => {
    const { outcome } = await run({ text: "{{result}}", agent: { pendingResult: " " } });

    expect(outcome).toMatchObject({ kind: "failure", class: "deterministic" });
  });

  it("prefers front matter to settings, and replaces whole lists", async () => {
    const { call } = await run({
      text: "---\nmodel: opus\neffort: high\ndisallowed_tools: [Bash]\n---\nDo it.",
      settings: { effort: "low", tools: ["Read"] },
    });

    expect(call).toMatchObject({
      model: "opus",
      effort: "high",
      tools: ["Read"],
      disallowedTools: ["Bash"],
    });
  });

  it("uses the settings for keys that front matter omits", async () => {
    const { call } = await run({ settings: { effort: "low", skipPermissions: true } });

    expect(call).toMatchObject({
      model: "sonnet",
      effort: "low",
      allowedTools: ["Edit"],
      level: "full",
      timeoutMs: 600_000,
      toolTimeoutMs: 1_200_000,
      maxBudgetMicroUsd: 500_000,
      session: { mode: "resume", id: "s1" },
      cwd: "/work",
    });
  });

  it("passes the ids and the token to the client, but no attributes", async () => {
    const { call } = await run({ agent: { attributes: { SECRET: "x" } } });

    expect(call?.env).toEqual({
      RAYMOND_WORKFLOW_ID: "wf-1",
      RAYMOND_AGENT_ID: "main",
      RAYMOND_STEP_TOKEN: "t.1",
    });
    expect(call?.token).toBe("t.1");
  });

  it("disables attachments if an inserted value could attach a file", async () => {
    const { call } = await run({
      text: "See {{result}}",
      agent: { pendingResult: "@/etc/passwd" },
    });

    expect(call?.disarmed).toBe(true);
  });

  it("sends only the reminder into the session that contains the prompt", async () => {
    const { call } = await run({
      text: `${RULES}The long prompt.`,
      agent: { delivery: "reminder", fault: FAULT },
    });

    expect(call?.prompt).toContain("No transition tag found.");
    expect(call?.prompt).toContain("<goto>B</goto>");
    expect(call?.prompt).not.toContain("The long prompt.");
    expect(call?.disarmed).toBe(true);
  });

  it("sends the prompt with the reminder if the session is lost", async () => {
    const { call } = await run({
      text: `${RULES}The long prompt.`,
      agent: { delivery: "reminder", fault: FAULT },
      step: { session: { mode: "fresh", id: "new" } },
    });

    expect(call?.prompt).toMatch(/^The long prompt\.\n\n[\s\S]*No transition tag found\./);
  });

  it("sends the prompt if the rules were deleted in the meantime", async () => {
    const { call } = await run({ agent: { delivery: "reminder", fault: FAULT } });

    expect(call?.prompt).toBe("Do it.");
  });

  it.each(["interrupted", "capped"] as const)(
    "continues a conversation that was %s with a short note",
    async (delivery) => {
      const { call } = await run({ text: `${RULES}The long prompt.`, agent: { delivery } });

      expect(call?.prompt).toContain("<goto>B</goto>");
      expect(call?.prompt).not.toContain("The long prompt.");
    },
  );

  it.each(["interrupted", "capped"] as const)(
    "starts over without a conversation to continue: %s",
    async (delivery) => {
      const { call } = await run({
        agent: { delivery },
        step: { session: { mode: "branch", source: "s0", id: "s2" } },
      });

      expect(call?.prompt).toBe("Do it.");
    },
  );

  it("turns a reply into an output with its tag", async () => {
    const { outcome } = await run({});

    expect(outcome).toMatchObject({
      kind: "output",
      spoke: true,
      session: "s1",
      capped: false,
      durationMs: 25,
      spend: { costMicroUsd: 5 },
    });
    expect(
      outcome.kind === "output" &&
        outcome.reading.elements.map(({ tag, content }) => [tag, content]),
    ).toEqual([["goto", "B"]]);
  });

  it("accepts a reply without any text", async () => {
    const { outcome } = await run({ reply: { ...ANSWER, text: null } });

    expect(outcome).toMatchObject({ kind: "output", spoke: false, reading: { count: 0 } });
  });

  it("returns a failure unchanged", async () => {
    const reply: Reply = {
      kind: "failure",
      class: "limit",
      message: "Full.",
      hint: "Wait.",
      session: "s1",
      resetsAt: 99,
      spend: NO_SPEND,
      exitCode: 1,
    };

    const { outcome } = await run({ reply });

    expect(outcome).toEqual({ ...reply, durationMs: 25 });
  });

  it("passes the number of the call within its state", async () => {
    expect((await run({ agent: { activity: running({ call: 4 }) } })).call).toMatchObject({
      number: 4,
      state: "START.md",
    });
  });

  it("throws for a state that is not a prompt", async () => {
    const file = {
      kind: "script",
      name: "RUN.sh",
      ...{ body: "", bodyLine: 1, bodyColumn: 1 },
      timeoutMs: null,
      retries: 0,
      backoffMs: 0,
      onError: null,
      maxVisits: null,
      env: NO_ENVIRONMENT,
      sandbox: null,
      container: null,
      warnings: [],
    } as const;

    await expect(run({ step: { file } })).rejects.toThrow("RUN.sh is not a prompt state");
  });

  it("omits an unsupported effort and budget, and warns once", async () => {
    const can = { effort: false, budget: false };
    const { call, warnings, execute } = await run({ can, settings: { effort: "high" } });

    await execute();

    expect(call).toMatchObject({ effort: null, maxBudgetMicroUsd: null });
    expect(warnings).toEqual([
      'warning /scope/START.md: the effort is ignored, because the backend "plain" does not support it.',
    ]);
  });

  it.each(["reminder", "interrupted", "capped"] as const)(
    "sends everything again to a backend that cannot continue a conversation: %s",
    async (delivery) => {
      const state = { delivery, fault: delivery === "reminder" ? FAULT : null };
      const { call } = await run({
        text: `${RULES}Plan it.`,
        agent: state,
        can: { resume: false },
      });

      expect(call?.session).toEqual({ mode: "fresh", id: "s1" });
      expect(call?.prompt).toContain("Plan it.");
      expect(call?.prompt.includes(FAULT.message)).toBe(delivery === "reminder");
    },
  );
});
