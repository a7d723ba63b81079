import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openCommand } from "../../../../src/cli/commands/control/open.ts";
import type { Shell } from "../../../../src/cli/shell.ts";
import { projectFolder } from "../../../../src/clients/claude/transcripts/transcript-place.ts";
import type { Agent } from "../../../../src/machine/model/agent.ts";
import type { RunState } from "../../../../src/machine/model/run-state.ts";
import { fileStore } from "../../../../src/storage/file.ts";
import { adoptStateFolder } from "../../../../src/wire/trust/state-folders.ts";
import { agent, failed } from "../../../support/agents.ts";
import { tempFolder } from "../../../support/folders.ts";
import { run, settings } from "../../../support/runs.ts";
import { testShell } from "../../../support/test-shell.ts";

type Foreground = NonNullable<Shell["foreground"]>;

const LEFT = { exitCode: 0, problem: null };
/** A user's client that shows a conversation in which nothing is said. */
const SILENT: Foreground = () => Promise.resolve(LEFT);

/** A stopped run with this agent, whose conversation `s1` the client has, and how it is opened. */
async function stopped(of: Partial<Agent> = {}, changes: Partial<RunState> = {}) {
  const dir = await tempFolder();
  const client = path.join(dir, "claude");
  await writeFile(client, "#!/bin/sh\n", { mode: 0o755 });
  const home = path.join(dir, "home");
  const project = path.join(home, "projects", projectFolder(dir));
  await mkdir(project, { recursive: true });
  const transcript = path.join(project, "s1.jsonl");
  const prompt = { role: "user", content: "Work." };
  const timestamp = "2026-11-21T10:30:00.000Z";
  const line = { type: "user", timestamp, isSidechain: false, message: prompt };
  await writeFile(transcript, `${JSON.stringify(line)}\n`);
  const kept = run({
    ...{ id: "r1", status: "interrupted", launchDir: dir, scopeDir: dir },
    agents: [agent(of)],
    settings: settings({ clients: { claude: client }, skipPermissions: false }),
    ...changes,
  });
  const store = fileStore(path.join(dir, ".raymond"));
  await store.save(kept, 0);
  const shell = testShell(dir, { CLAUDE_CONFIG_DIR: home });
  await adoptStateFolder(path.join(dir, ".raymond"), shell.env);
  return {
    ...{ dir, shell, transcript },
    load: () => store.load("r1"),
    open: (foreground: Shell["foreground"], options: object = {}) =>
      openCommand({ run: "r1", ...options }, { ...shell, foreground }),
  };
}

/** What a person says, and what is answered, as the client writes it down. */
function talk(): string {
  const line = { timestamp: new Date().toISOString(), isSidechain: false, version: "2.1.330" };
  const usage = { input_tokens: 1_000, output_tokens: 100 };
  const content = [{ type: "text", text: "Fine." }];
  const answer = {
    id: "m1",
    role: "assistant",
    model: "m",
    content,
    stop_reason: "end_turn",
    usage,
  };
  return [
    { ...line, type: "user", message: { role: "user", content: "Take the green one." } },
    { ...line, type: "assistant", message: answer },
    { type: "cost-state", totalCostUSD: 0.0045 },
  ]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join("");
}

describe("raymond open of a run without a process", () => {
  it("opens the conversation with the client of the run, and records its cost", async () => {
    const { dir, open, shell, transcript, load } = await stopped();
    let called: readonly unknown[] = [];
    await open(async ({ args, cwd, onStart }) => {
      onStart(process.pid);
      called = [args, cwd];
      expect((await load())?.agents[0]?.opened).not.toBeNull();
      await appendFile(transcript, talk());
      return LEFT;
    });

    expect(called).toEqual([
      [
        "--permission-mode",
        "acceptEdits",
        expect.stringMatching(/^--disallowed-tools=Edit/) as string,
        "--resume=s1",
      ],
      dir,
    ]);
    expect(shell.stderr()).toContain("main continues from your conversation, which cost $0.0045");
    expect(shell.stderr()).toContain("Resume with: raymond resume r1");
    expect(await load()).toMatchObject({
      totals: { costMicroUsd: 4_500 },
      baselines: { s1: 4_500 },
      agents: [{ opened: null }],
    });
    const log = path.join(dir, ".raymond", "runs", "r1", "events.jsonl");
    expect(await readFile(log, "utf8")).toMatch(/agent\.opened[^\n]*\n.*agent\.handed-back/);
  });

  it("changes nothing if no message was sent", async () => {
    const { open, shell, load } = await stopped({ activity: failed() }, { status: "failed" });
    const before = await load();

    await open(SILENT);

    expect(shell.stderr()).toContain("No message was sent");
    expect((await load())?.agents).toEqual(before?.agents);
  });

  it("first recovers the messages of a manual session that was killed", async () => {
    const { dir, open, transcript, load } = await stopped({ opened: 7 });
    const openings = path.join(dir, ".raymond", "runs", "r1", "openings");
    await mkdir(openings, { recursive: true });
    const opened = { session: "s1", cwd: dir };
    const visit = { agent: "main", at: 7, now: false, opened, left: false, processes: [] };
    await writeFile(path.join(openings, "main-7.json"), JSON.stringify(visit));
    await appendFile(transcript, talk());

    await open(SILENT);

    expect(await load()).toMatchObject({ totals: { costMicroUsd: 4_500 } });
  });

  it.each<[string, Partial<Agent>, Partial<RunState>, object, string]>([
    [
      "an agent before a script",
      { state: "A.sh", session: { mode: "fresh", id: null } },
      {},
      {},
      "run/no-conversation",
    ],
    [
      "an agent before its first prompt",
      { session: { mode: "fresh", id: null } },
      {},
      {},
      "run/no-conversation",
    ],
    [
      "a conversation that is gone",
      { session: { mode: "resume", id: "s9" } },
      {},
      {},
      "run/conversation-gone",
    ],
    ["an agent that is not there", {}, {}, { agent: "w1" }, "run/unknown-agent"],
    [
      "none of several agents",
      {},
      { agents: [agent(), agent({ id: "w1" })] },
      {},
      "run/which-agent",
    ],
    ["a simulated run", {}, { backend: "simulation" }, {}, "run/nothing-to-open"],
    [
      "a client that is not found",
      {},
      { settings: settings({ clients: { claude: "/no/claude" } }) },
      {},
      "claude/not-found",
    ],
    [
      "a complete run without conversations",
      {},
      { status: "completed", agents: [] },
      {},
      "run/no-conversation",
    ],
  ])("refuses %s, and changes nothing", async (_, of, changes, options, code) => {
    const { open, load } = await stopped(of, changes);
    const before = await load();

    await expect(open(SILENT, options)).rejects.toMatchObject({ code });
    expect((await load())?.agents).toEqual(before?.agents);
  });

  it("requires a terminal, a conversation that is not open, and a run on this host", async () => {
    const { dir, open, shell } = await stopped();
    await expect(open(null)).rejects.toMatchObject({ code: "cli/no-terminal" });
    let second: unknown = null;

    await open(async () => {
      second = await open(SILENT).catch((error: unknown) => error);
      return LEFT;
    });

    expect(second).toMatchObject({ code: "run/open-already" });
    const there = { host: "far", machine: "m", boot: "b", namespace: null };
    await fileStore(path.join(dir, ".raymond"), { place: there }).lock("r1");
    await expect(open(SILENT)).rejects.toMatchObject({ code: "run/out-of-reach" });
    expect(shell.stderr()).toContain("Leave it with /exit");
  });

  it("reverts the session if the client cannot be started", async () => {
    const { open, load } = await stopped();

    const fails = open(() => Promise.resolve({ exitCode: null, problem: "spawn ENOENT" }));

    await expect(fails).rejects.toMatchObject({ code: "claude/unusable" });
    expect((await load())?.agents[0]?.opened).toBeNull();
  });
});
