import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { StepListener } from "../../../src/engine/ports/step-events.ts";
import { witness } from "../../contracts/backend.ts";
import { cancellation } from "../../support/cancellation.ts";
import {
  answers,
  fails,
  limited,
  says,
  stalls,
  uses,
} from "../../support/client/messages-answer.ts";
import { MODEL, NO_RETRY, scene } from "./scene.ts";

const bash = (command: string, then: ReturnType<typeof says>) => uses("bash", { command }, then);
const FULL = { level: "full" } as const;

describe("pi", () => {
  it("continues a conversation in another folder", async () => {
    const { api, ask, project } = await scene(
      answers([
        ["Two", bash("pwd > where", says("second"))],
        [/./, says("first")],
      ]),
    );
    const id = crypto.randomUUID();
    const other = path.join(project.dir, "other");
    await mkdir(other);

    await ask({ prompt: "One", session: { mode: "fresh", id } });
    const session = { mode: "resume", id } as const;
    const reply = await ask({ prompt: "Two", cwd: other, session, ...FULL });

    expect(reply).toMatchObject({ kind: "reply", text: "second", session: id });
    expect(api.turns.at(-1)?.prompts).toEqual(["One", "Two"]);
    expect(await readFile(path.join(other, "where"), "utf8")).toBe(`${other}\n`);
  });

  it("warns that it has no fallback model and no limit of turns", async () => {
    const { ask } = await scene(() => says("hi"));

    const { calls } = await ask({ fallbackModel: "model-2", maxTurns: 3 });

    expect(calls).toContain("warning PLAN.md: pi does not support fallback_model and max_turns.");
  });

  it("reports a lost conversation instead of starting another one", async () => {
    const { api, ask } = await scene(() => says("hi"));

    const reply = await ask({ session: { mode: "resume", id: crypto.randomUUID() } });

    expect(reply).toMatchObject({ kind: "failure", class: "lost-session", session: null });
    expect(api.turns).toEqual([]);
  });

  it.each([
    ["read-only", ["read", "grep", "find", "ls"]],
    ["edit", ["read", "grep", "find", "ls", "edit", "write"]],
    ["full", ["read", "bash", "edit", "write"]],
  ] as const)("offers the model the tools of the level %s", async (level, tools) => {
    const { api, ask } = await scene(() => says("hi"));

    await ask({ level });

    expect(api.turns[0]?.tools.toSorted()).toEqual(tools.toSorted());
  });

  it("offers bash again in a conversation whose last call had the level edit", async () => {
    const { api, ask } = await scene(() => says("hi"));
    const id = crypto.randomUUID();

    await ask({ level: "edit", session: { mode: "fresh", id } });
    await ask({ level: "full", session: { mode: "resume", id } });

    expect(api.turns[0]?.tools).not.toContain("bash");
    expect(api.turns[1]?.prompts).toHaveLength(2);
    expect(api.turns[1]?.tools).toContain("bash");
  });

  it("adds and removes single tools", async () => {
    const { api, ask } = await scene(() => says("hi"));

    await ask({ level: "read-only", allow: [{ kind: "tool", value: "Bash" }] });
    await ask({ level: "full", deny: [{ kind: "tool", value: "bash" }] });
    await ask({ level: "full", tools: [] });

    const tools = api.turns.map((turn) => turn.tools.toSorted());
    expect(tools).toEqual([["bash", "find", "grep", "ls", "read"], ["edit", "read", "write"], []]);
  });

  it("reports a call of a tool that the permissions withhold", async () => {
    const { ask } = await scene(() => bash("touch written", says("I cannot.")));

    const reply = await ask({ level: "edit" });

    expect(reply.denials).toEqual([{ tool: "bash", input: "touch written" }]);
  });

  it.each([
    [401, "deterministic"],
    [404, "deterministic"],
    [429, "outage"],
    [500, "outage"],
    [529, "outage"],
  ] as const)("classifies the status %i, for which pi exits with 0", async (status, kind) => {
    const { ask } = await scene(() => fails(status), NO_RETRY);

    const reply = await ask();

    expect(reply).toMatchObject({ kind: "failure", class: kind, exitCode: 0 });
  });

  it("shows its retries, and counts only the answer that it got", async () => {
    const { api, ask } = await scene(answers([[/./, fails(500), says("hi")]]), {
      retry: { baseDelayMs: 10 },
    });

    const reply = await ask();

    expect(reply).toMatchObject({ kind: "reply", text: "hi" });
    expect(reply.calls.filter((call) => call.startsWith("notice"))).toEqual([
      expect.stringMatching(/500.*pi retries in 1 s \(attempt 1 of 3\)\.$/),
    ]);
    expect(reply.spend.costMicroUsd).toBe(api.charged);
  });

  it("waits for a usage limit", async () => {
    const { ask } = await scene(
      () => fails(429, "You have hit your ChatGPT usage limit (plus plan). Try again in ~45 min."),
      NO_RETRY,
    );
    const before = Date.now();

    const reply = await ask();

    expect(reply).toMatchObject({ kind: "failure", class: "limit" });
    const resetsAt = "resetsAt" in reply ? (reply.resetsAt ?? 0) : 0;
    expect(resetsAt).toBeGreaterThanOrEqual(before + 45 * 60_000);
  });

  it("treats a rate limit without a reset as an outage", async () => {
    const { ask } = await scene(() => limited(1_900_000_000), NO_RETRY);

    expect(await ask()).toMatchObject({ kind: "failure", class: "outage" });
  });

  it("passes the effort", async () => {
    const { api, ask } = await scene(() => says("hi"));

    await ask({ effort: "low" });
    await ask({ effort: "max" });

    const budgets = api.turns.map(
      ({ raw }) => JSON.stringify(raw).match(/"thinking":\{[^}]*\}/)?.[0],
    );
    expect(budgets[0]).toContain("budget_tokens");
    expect(budgets[1]).not.toEqual(budgets[0]);
  });

  it("estimates the cost of a model without a price, and reports that", async () => {
    const { ask } = await scene(() => says("hi", { usage: { input: 10_000, output: 10 } }));

    const reply = await ask({ model: "mock/free" });

    expect(reply.spend).toMatchObject({
      costMicroUsd: null,
      tokens: { input: 10_000, output: 10 },
    });
    expect(reply.spend.unreported).toMatchObject([{ model: "mock/free", listMicroUsd: null }]);
    expect(reply.calls).toContainEqual(expect.stringContaining("no price for mock/free"));
  });

  it.each([
    ["an unknown model", { model: "unknown-model" }, "not found"],
    ["a provider without credentials", { model: "anthropic/claude-sonnet-4-5" }, "not logged in"],
  ])("fails permanently for %s", async (_, changes, message) => {
    const { ask } = await scene(() => says("hi"));

    const reply = await ask(changes);

    expect(reply).toMatchObject({ kind: "failure", class: "deterministic", exitCode: 1 });
    expect(reply.kind === "failure" && reply.message).toContain(message);
  });

  it("ends a tool that ignores the interrupt of pi", async () => {
    const { api, backend, call, project } = await scene(() =>
      bash("trap '' INT; echo > started; tail -f /dev/null", says("done")),
    );
    const asked = cancellation();
    const { listener, recorder } = witness();

    const reply = backend.invoke(call(FULL), asked, listener, recorder);
    await project.fileWith("started");
    asked.interruptNow();

    expect(await reply).toMatchObject({ kind: "failure", class: "cancelled" });
    expect(await project.orphans()).toEqual([]);
    expect((await reply).spend.costMicroUsd).toBe(api.charged);
  });

  it("estimates an answer that was interrupted", async () => {
    const { backend, call } = await scene(() =>
      stalls("It begins.", { usage: { input: 100_000, output: 1 } }),
    );
    const asked = cancellation();
    const { listener, recorder } = witness();
    let begin: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const spending: StepListener["spending"] = ({ tokens }) => {
      // The answer has started: before, the request is estimated by its characters.
      if (tokens.input >= 100_000) begin();
    };

    const reply = backend.invoke(call(), asked, { ...listener, spending }, recorder);
    await started;
    asked.interruptNow();

    const { spend } = await reply;
    expect(spend.costMicroUsd).toBeNull();
    expect(spend.unreported).toMatchObject([{ model: MODEL, tokens: { input: 100_000 } }]);
    expect(spend.unreported[0]?.listMicroUsd).toBeGreaterThanOrEqual(300_000);
  });

  it("neither runs nor obeys what the project configures, but reads its AGENTS.md", async () => {
    const { api, ask, project } = await scene(() => says("hi"));
    const extension = `import { writeFileSync } from "node:fs";
export default () => writeFileSync(${JSON.stringify(path.join(project.dir, "ran"))}, "");`;
    await project.write(".pi/extensions/evil.ts", extension);
    await project.write(".pi/SYSTEM.md", "OTHER SYSTEM");
    await project.write(".pi/settings.json", '{"shellCommandPrefix": "touch ran;"}');
    await project.write("AGENTS.md", "THE INSTRUCTIONS");

    await ask();

    expect(await project.list(".")).not.toContain("ran");
    expect(api.turns[0]?.system).toContain("THE INSTRUCTIONS");
    expect(api.turns[0]?.system).not.toContain("OTHER SYSTEM");
  });

  it("loads the settings of a project that the user trusts", async () => {
    const { ask, project } = await scene(
      () => says("hi"),
      {},
      {
        projectAccess: () => Promise.resolve({ kind: "load" }),
      },
    );
    const extension = `import { writeFileSync } from "node:fs";
export default () => writeFileSync(${JSON.stringify(path.join(project.dir, "ran"))}, "");`;
    await project.write(".pi/extensions/own.ts", extension);

    await ask();

    expect(await project.list(".")).toContain("ran");
  });

  it("does not expand a template in text that the author did not write", async () => {
    const { api, ask, project } = await scene(() => says("hi"));
    const prompts = path.join(project.home, ".pi", "agent", "prompts");
    await mkdir(prompts, { recursive: true });
    await writeFile(path.join(prompts, "secret.md"), "SECRET TEMPLATE");

    await ask({ prompt: "/secret x" });
    await ask({ prompt: "/secret x", disarmed: true });

    expect(api.turns.map(({ prompt }) => prompt.trim())).toEqual([
      "SECRET TEMPLATE",
      "Prompt:\n/secret x",
    ]);
  });

  it("accepts a prompt of three megabytes", async () => {
    const { api, ask } = await scene(() => says("hi"));

    const reply = await ask({ prompt: "x".repeat(3_000_000) });

    expect(reply).toMatchObject({ kind: "reply", text: "hi" });
    expect(api.turns[0]?.bytes).toBeGreaterThan(3_000_000);
  });
});
