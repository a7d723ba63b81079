import { chmod, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { claudeBackend } from "../../../src/clients/claude/claude.ts";
import type { Invocation, Reply } from "../../../src/engine/ports/backend.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { ANSWER, describeBackend, invocation, witness } from "../../contracts/backend.ts";
import { type FakeClient, type FakeScript, fakeClient } from "../../fixtures/fake-client.ts";
import { cancellation } from "../../support/cancellation.ts";
import { itNeeds, PROC } from "../../support/needs.ts";
import { noSecrets } from "../../support/no-secrets.ts";
import { endMarked, markedProcesses } from "../../support/process/leaks.ts";
import { handClock } from "../common/hand-clock.ts";

const fakes: FakeClient[] = [];

afterEach(async () => {
  for (const fake of fakes.splice(0)) {
    // All that a fake has started carries its folder in its environment.
    const left = await endMarked("HOME", fake.dir);
    await fake.remove();
    expect(left).toEqual([]);
  }
});

async function setup(script: FakeScript, command?: string) {
  const fake = await fakeClient(script);
  fakes.push(fake);
  const clock = handClock();
  const backend = claudeBackend({
    projectAccess: () => Promise.resolve({ kind: "load" }),
    command: command ?? fake.command,
    env: () => fake.env,
    settings: { switches: {} },
    timers: clock,
    secrets: noSecrets(),
    start: (call) => startProcess(call, { rungMs: 150, drainMs: 150 }),
  });
  const call = (changes: Partial<Invocation> = {}) => invocation({ cwd: fake.dir, ...changes });
  const seen = witness();
  const asked = cancellation();
  const invoke = (changes: Partial<Invocation> = {}): Promise<Reply> => {
    return backend.invoke(call(changes), asked, seen.listener, seen.recorder);
  };
  return { fake, clock, backend, call, seen, asked, invoke };
}

/** One reply that misbehaves in the ways named, and says what the contract suite expects. */
const that = (...does: readonly string[]) => ({
  replies: [{ say: ANSWER, do: does, times: "always" }],
});

const SCENARIOS = {
  answers: that(),
  hangs: that("hang-streaming"),
  fails: that("die-before-init"),
  capped: that("max-budget"),
};

describeBackend("the client", async (scenario) => {
  const { fake, backend, call } = await setup(SCENARIOS[scenario]);
  return { backend, call, close: () => fake.remove() };
});

describe("claudeBackend", () => {
  it("sends the prompt on standard input, and the ids of the run in the environment", async () => {
    const { fake, invoke } = await setup(that());

    await invoke({ prompt: "--do\n@it", env: { RAYMOND_AGENT_ID: "main" }, token: "t.1" });

    const [call] = await fake.calls();
    expect(call).toMatchObject({ prompt: "--do\n@it", cwd: fake.dir });
    expect(call?.argv.join(" ")).not.toContain("@it");
    expect(call?.env).toEqual({
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
      CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "0",
      DISABLE_AUTOUPDATER: "1",
      RAYMOND_AGENT_ID: "main",
      RAYMOND_STEP_TOKEN: "t.1",
    });
  });

  it("sends a prompt of a megabyte whole", async () => {
    const { fake, invoke } = await setup(that());
    const prompt = "é".repeat(500_000);

    await invoke({ prompt });

    expect((await fake.calls())[0]?.prompt === prompt).toBe(true);
  });

  it("carries a conversation on, and branches it", async () => {
    const { invoke } = await setup(that());

    await invoke({ session: { mode: "fresh", id: "one" } });
    const resumed = await invoke({ session: { mode: "resume", id: "one" } });
    const branched = await invoke({ session: { mode: "branch", source: "one", id: "two" } });

    expect(resumed).toMatchObject({
      kind: "reply",
      session: "one",
      spend: { conversationMicroUsd: 20_000 },
    });
    expect(branched).toMatchObject({
      kind: "reply",
      session: "two",
      spend: { conversationMicroUsd: 30_000 },
    });
  });

  it("reports the totals of an older client as they are", async () => {
    const { invoke } = await setup({ version: "2.1.197", ...that() });

    await invoke({ session: { mode: "fresh", id: "one" } });
    const resumed = await invoke({ session: { mode: "resume", id: "one" } });

    expect(resumed.spend).toMatchObject({ version: "2.1.197", costMicroUsd: 10_000 });
  });

  it.each([["noise"], ["big-line"], ["two-results"]])(
    "gets the reply in spite of %s",
    async (act) => {
      const { seen, invoke } = await setup(that(act));

      expect(await invoke()).toMatchObject({ kind: "reply", text: ANSWER });
      expect(seen.calls.filter((what) => what === "accepted")).toHaveLength(1);
    },
  );

  itNeeds(PROC, "gets the reply although something in the background holds the pipes", async () => {
    const { fake, invoke } = await setup(that("grandchild"));

    expect(await invoke()).toMatchObject({ kind: "reply", text: ANSWER });

    // It may live on until the run ends; this test is its run.
    const held = await markedProcesses("HOME", fake.dir);
    expect(held).toHaveLength(1);
    for (const { pid } of held) process.kill(pid);
  });

  it.each([
    ["die-before-init", "crash", null],
    ["die-after-init", "crash", null],
    ["die-streaming", "crash", "s1"],
    ["no-result", "crash", "s1"],
    ["silent", "crash", null],
    ["limit", "limit", "s1"],
    ["overload", "outage", "s1"],
    ["auth-failure", "deterministic", "s1"],
    ["not-logged-in", "deterministic", "s1"],
    ["in-use", "crash", null],
    ["no-conversation", "lost-session", null],
  ])("takes %s for what it is: %s", async (act, kind, session) => {
    const { invoke } = await setup(that(act));

    const reply = await invoke({ session: { mode: "fresh", id: "s1" } });

    expect(reply).toMatchObject({ kind: "failure", class: kind, session });
  });

  it("returns the text before the cap", async () => {
    const { invoke } = await setup(that("max-budget"));

    expect(await invoke()).toMatchObject({ kind: "reply", capped: true, text: ANSWER });
  });

  it("reports that a slash command has no reply", async () => {
    const { invoke } = await setup(that("slash-command"));

    expect(await invoke()).toMatchObject({ kind: "reply", text: null });
  });

  it("shows which tools were denied", async () => {
    const tools = [{ name: "Bash", input: { command: "rm -rf x" }, denied: true }];
    const { seen, invoke } = await setup({ replies: [{ say: ANSWER, tools }] });

    expect(await invoke()).toMatchObject({ denials: [{ tool: "Bash", input: "rm -rf x" }] });
    expect(seen.calls).toContain("tool Bash rm -rf x");
  });

  it("records the stream without partial messages, and how it was called", async () => {
    const { fake, seen, invoke } = await setup({ replies: [{ say: ANSWER, stderr: "careful" }] });

    await invoke({ session: { mode: "fresh", id: "s1" } });

    expect(seen.lines.some((line) => line.includes('"result"'))).toBe(true);
    expect(seen.lines.some((line) => line.includes("stream_event"))).toBe(false);
    expect(seen.meta).toMatchObject({ cwd: fake.dir, exitCode: 0, clientVersion: "2.1.330" });
    expect(seen.meta["argv"]).toContain("--session-id=s1");
    expect(seen.meta["env"]).not.toHaveProperty("PATH");
  });

  it.each([
    [false, undefined],
    [true, "1"],
  ])("lets a prompt attach files unless it may hold another's text: %s", async (disarmed, off) => {
    const { seen, invoke } = await setup(that());

    await invoke({ disarmed });

    const env = seen.meta["env"] as Readonly<Record<string, string>>;
    expect(env["CLAUDE_CODE_DISABLE_ATTACHMENTS"]).toBe(off);
  });

  it("ends a client that is silent, and calls it a crash", async () => {
    const { clock, seen, invoke } = await setup(that("hang-streaming"));

    const state = { ended: false };

    const reply = invoke({ timeoutMs: 600_000 });
    void reply.then(() => {
      state.ended = true;
    });
    await seen.until("accepted");
    // Output before the silence may still be in the pipe, and restarts the timeout.
    while (!state.ended) await clock.advance(600_000);

    expect(await reply).toMatchObject({
      class: "crash",
      message: expect.stringMatching(/printed nothing/) as string,
    });
  });

  it("is more patient while a tool works", async () => {
    const { clock, seen, invoke } = await setup({
      replies: [{ say: ANSWER, tools: [{ name: "Bash" }], do: "hang-in-tool" }],
    });
    let ended = false;

    const reply = invoke({ timeoutMs: 1_000, toolTimeoutMs: 9_000 });
    void reply.then(() => {
      ended = true;
    });
    await seen.until("tool");
    await clock.advance(8_000);
    expect(ended).toBe(false);
    await clock.advance(1_000);

    expect(await reply).toMatchObject({
      class: "crash",
      message: expect.stringMatching(/tool call/) as string,
    });
  });

  it("ends a step whose time is over, for good", async () => {
    const { clock, seen, invoke } = await setup(that("hang-streaming"));

    const reply = invoke({ deadline: { at: clock.elapsed() + 5_000, limitMs: 20_000 } });
    await seen.until("accepted");
    await clock.advance(5_000);

    expect(await reply).toMatchObject({
      class: "deterministic",
      message: "PLAN.md exceeded its timeout of 20s and was stopped after 20s.",
    });
  });

  it("ends a client that does not exit after its result, and keeps the result", async () => {
    const { clock, seen, invoke } = await setup(that("hang-after-result", "ignore-signals"));

    const reply = invoke({ timeoutMs: 1_000 });
    await seen.until('line {"type":"result"');
    await clock.advance(10_000);

    expect(await reply).toMatchObject({ kind: "reply", text: ANSWER });
  });

  it("keeps a result that came before the interrupt", async () => {
    const { seen, asked, invoke } = await setup(that("hang-after-result"));

    const reply = invoke();
    await seen.until('line {"type":"result"');
    asked.interruptNow();

    expect(await reply).toMatchObject({ kind: "reply", text: ANSWER });
  });

  it("uses the output of a client after the budget is used up, also after the signal", async () => {
    const tools = [{ name: "Bash", ms: 300 }];
    const reply = { say: ANSWER, do: ["ignore-signals"], tools, cost: 0.25 };
    const { seen, asked, invoke } = await setup({ replies: [reply] });

    const spoken = invoke();
    await seen.until("accepted");
    asked.spendNow();

    expect(await spoken).toMatchObject({
      kind: "reply",
      text: ANSWER,
      spend: { conversationMicroUsd: 250_000 },
    });
  });

  it("ends a client that ignores every signal but the last", async () => {
    const { fake, seen, asked, invoke } = await setup(that("hang-streaming", "ignore-signals"));

    const reply = invoke();
    await seen.until("accepted");
    asked.interruptNow();

    expect(await reply).toMatchObject({ class: "cancelled" });
    const pid = (await fake.calls())[0]?.pid ?? 0;
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });

  it("estimates the tokens of a call that was killed", async () => {
    const { invoke } = await setup(that("die-streaming"));

    expect((await invoke()).spend).toMatchObject({
      conversationMicroUsd: null,
      unreported: [{ tokens: { input: 1000 } }],
    });
  });

  it("distinguishes a missing client from a missing folder", async () => {
    const { fake, clock, seen, asked, invoke } = await setup(that());
    const nowhere = claudeBackend({
      projectAccess: () => Promise.resolve({ kind: "load" }),
      command: "/no/claude",
      env: () => ({}),
      settings: { switches: {} },
      timers: clock,
      secrets: noSecrets(),
      start: startProcess,
    });

    const noClient = await nowhere.invoke(
      invocation({ cwd: fake.dir }),
      asked,
      seen.listener,
      seen.recorder,
    );
    const noFolder = await invoke({ cwd: `${fake.dir}/gone` });

    expect(noClient).toMatchObject({
      class: "deterministic",
      message: expect.stringContaining("/no/claude") as string,
    });
    expect(noFolder).toMatchObject({
      class: "deterministic",
      message: expect.stringContaining("/gone") as string,
    });
  });

  it("waits for a client that is being updated, for minutes", async () => {
    const client = await mkdtemp(join(tmpdir(), "raymond-client-"));
    const command = join(client, "claude");
    const away = `${command}.old`;
    const { fake, clock, invoke } = await setup(that(), command);
    await symlink(fake.command, command);
    const missing = { class: "outage", message: expect.stringContaining("update") as string };

    expect(await invoke()).toMatchObject({ kind: "reply" });
    await rename(command, away);
    expect(await invoke()).toMatchObject(missing);
    // Half-written.
    await writeFile(command, "\x7fELF");
    expect(await invoke()).toMatchObject(missing);
    await chmod(command, 0o755);
    expect(await invoke()).toMatchObject(missing);
    await rename(away, command);
    expect(await invoke()).toMatchObject({ kind: "reply" });

    await rename(command, away);
    expect(await invoke()).toMatchObject(missing);
    await clock.advance(15 * 60_000);
    expect(await invoke()).toMatchObject({ class: "deterministic" });
    await rename(away, command);
    expect(await invoke()).toMatchObject({ kind: "reply" });
    await rm(client, { recursive: true });
  });
});
