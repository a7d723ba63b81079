import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type NotifyOptions, notifyObserver, shellCall } from "../../src/console/notify.ts";
import type { Event } from "../../src/machine/model/event.ts";
import { startProcess } from "../../src/process/children/run-process.ts";
import { describeObserver } from "../contracts/observer.ts";
import { samples } from "../log/samples.ts";
import { stillClock } from "../log/temp.ts";
import { tempFolder } from "../support/folders.ts";
import { markedProcesses } from "../support/process/leaks.ts";
import { OWN_SESSION } from "../support/process/process-rows.ts";
import { run } from "../support/runs.ts";
import { until } from "../support/until.ts";

/** An observer that runs this command in a folder of its own, and what it warns of. */
async function setup(command: string, changes: Partial<NotifyOptions> = {}) {
  const dir = await tempFolder();
  const warnings: string[] = [];
  const observer = notifyObserver({
    command,
    env: { PATH: process.env["PATH"] ?? "", MARK: dir },
    platform: "unix",
    start: startProcess,
    clock: stillClock,
    warn: (message) => warnings.push(message),
    ...changes,
  });
  const state = run({ id: "wf-1", launchDir: dir });
  const notify = (...events: readonly Event[]): void => {
    for (const [index, event] of events.entries()) observer.notify(event, state, index + 1);
  };
  const read = (file: string): Promise<string> => readFile(join(dir, file), "utf8");
  const lines = async (file: string): Promise<readonly string[]> =>
    (await read(file)).trimEnd().split("\n");
  const living = () => markedProcesses("MARK", dir);
  return { dir, observer, warnings, notify, read, lines, living, close: () => observer.close?.() };
}

const NEWS = [
  samples["run.waiting"],
  samples["run.woke"],
  samples["budget.near"],
  samples["agent.failed"],
  samples["agent.joined"],
  samples["agent.asked"],
  samples["run.ended"],
] as const;

describeObserver(
  "notifyObserver",
  async () => (await setup("cat > /dev/null")).observer,
  async () => (await setup("exit 1")).observer,
);

describe("notifyObserver", () => {
  it("passes each event to the command as one line of JSON, in order", async () => {
    const { notify, lines, close, warnings } = await setup("cat >> events");
    notify({ ...samples["agent.joined"], late: false }, ...Object.values(samples), ...NEWS);
    await close();

    const events = (await lines("events")).map((line) => JSON.parse(line) as { type: string });
    const types = NEWS.map(({ type }) => type);
    expect(events.slice(-NEWS.length).map(({ type }) => type)).toEqual(types);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(types));
    expect(events.at(-1)).toEqual({
      type: "run.ended",
      seq: 1 + Object.values(samples).length + NEWS.length,
      at: "2026-11-21T10:30:00.000Z",
      run: "wf-1",
      workflow: "/repo/workflows/coding",
      status: "budget_exceeded",
      reason: {
        class: "budget",
        message: "The budget of $10.00 is used up.",
        agent: "main",
        state: "PLAN.md",
        signal: null,
      },
      cost_usd: 10.3,
      estimated_usd: 0.25,
      steps: 7,
      results: { main_work1: "done" },
      denied: [{ state: "PLAN.md", tool: "Bash", input: "npm test", count: 2 }],
    });
    expect(warnings).toEqual([]);
  });

  it("runs in the launch folder, with the run's id and a token that is not the run's", async () => {
    const { dir, notify, read, close } = await setup('pwd > where; env > "$PWD/env"');
    notify(samples["run.ended"]);
    await close();

    expect((await read("where")).trim()).toBe(dir);
    expect(await read("env")).toMatch(/^RAYMOND_WORKFLOW_ID=wf-1$/m);
    expect(await read("env")).toMatch(/^RAYMOND_STEP_TOKEN=notify-[0-9a-f-]{36}$/m);
  });

  it("runs one command at a time", async () => {
    const { notify, lines, close } = await setup("echo begin >> log; sleep 0.2; echo end >> log");
    notify(samples["run.waiting"], samples["run.woke"], samples["run.ended"]);
    await close();

    expect(await lines("log")).toEqual(["begin", "end", "begin", "end", "begin", "end"]);
  });

  it.each([
    ["ignores its input", "exec < /dev/null; echo ok >> log"],
    ["closes its input", "exec <&-; echo ok >> log"],
    ["prints a lot", "head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2; echo ok >> log"],
    [
      "leaves something in the background",
      "sleep 30 > /dev/null 2>&1 & echo $! >> pid; echo ok >> log",
    ],
  ])("is content with a command that %s", async (_, command) => {
    const { notify, lines, read, close, warnings } = await setup(command);
    const large = "x".repeat(1_000_000);
    notify({ ...samples["run.ended"], results: { main: large } }, samples["run.ended"]);
    await close();

    expect(await lines("log")).toEqual(["ok", "ok"]);
    expect(warnings).toEqual([]);
    for (const pid of (await read("pid").catch(() => "")).split("\n")) {
      if (pid !== "") process.kill(Number(pid), "SIGKILL");
    }
  });

  it("warns once of a command that fails, with its output, and continues", async () => {
    const command = "echo ran >> log; echo no route to host >&2; exit 7";
    const { notify, lines, close, warnings } = await setup(command);
    notify(samples["run.waiting"], samples["run.ended"]);
    await close();

    expect(await lines("log")).toEqual(["ran", "ran"]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/--notify.*exit code 7: no route to host/);
  });

  it("warns if the command cannot be started in the folder", async () => {
    const { observer, warnings, close } = await setup("true");
    observer.notify(samples["run.ended"], run({ launchDir: "/nowhere/at/all" }), 1);
    await close();

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("did not start");
  });

  it("kills a command that hangs, with its descendants, and reports the next event", async () => {
    const command = `if [ -e log ]; then echo next >> log; else echo first > log; trap "" INT TERM; (${OWN_SESSION} sleep 60 & sleep 60); fi`;
    const { notify, lines, living, close, warnings } = await setup(command, { eachMs: 2_000 });
    notify(samples["run.waiting"], samples["run.ended"]);
    await close();

    expect(await lines("log")).toEqual(["first", "next"]);
    expect(await living()).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("timed out after 2 s");
  });

  it("waits at the end of a run for remaining commands, up to a limit", async () => {
    const command = "echo began >> log; exec sleep 60";
    const { notify, lines, living, close, warnings } = await setup(command, { closeMs: 300 });
    notify(...NEWS, ...NEWS);
    await until("the first command", () => lines("log").catch(() => undefined));
    await close();

    expect(await lines("log")).toEqual(["began"]);
    expect(await living()).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it("never delays the run: notify returns before the command runs", async () => {
    const { dir, notify, close } = await setup("mkdir made");
    notify(samples["run.ended"]);
    // It would be too late for this if the command had run.
    await mkdir(join(dir, "made"));
    await close();
  });
});

describe("shellCall", () => {
  it("uses the shell of the system, on Windows with a variable", () => {
    expect(shellCall('say "it"', "unix")).toEqual({
      command: "/bin/sh",
      args: ["-c", 'say "it"'],
      verbatim: false,
      env: {},
    });
    expect(shellCall('say "it"', "windows")).toEqual({
      command: "C:\\Windows\\System32\\cmd.exe",
      args: ["/d", "/s", "/c", '"%RAYMOND_NOTIFY%"'],
      verbatim: true,
      env: { RAYMOND_NOTIFY: 'say "it"' },
    });
  });
});
