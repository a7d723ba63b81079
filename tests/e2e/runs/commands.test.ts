import { spawn } from "node:child_process";
import { utimes } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { killMarked } from "../../support/process/leaks.ts";
import { until } from "../../support/until.ts";
import { refusal, resultScript, type Scene, scene, waitForFile } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";
const DONE = { say: "<result>done</result>" };
const inSeconds = (seconds: number) => Math.ceil(Date.now() / 1000) + seconds;

/** A step that waits for the file `go`, with a child that has left its process group. */
const WAITING = {
  "w/START.sh": `[ -e go ] || setsid sleep 300 >/dev/null 2>&1 &\necho x >started\n${waitForFile("go", resultScript("ok"))}`,
};

/** Rewrites the released lock of the run `one`. */
async function forgeLock(project: Scene["project"], changes: object): Promise<void> {
  const file = ".raymond/runs/one/lock.1";
  const record = JSON.parse(await project.read(file)) as object;
  await project.write(file, JSON.stringify({ ...record, released: false, ...changes }));
}

/** A run locked by a host that is gone, so that the state of its process is unknown. */
async function heldElsewhere(silentS: number) {
  const all = await scene(WAITING);
  const { project, start } = all;
  const first = start("w --workflow-id one");
  await project.fileWith("started");
  first.kill("SIGKILL");
  await first.exit;
  await forgeLock(project, { host: "build-7", machine: "another", boot: "another", pid: 12 });
  const then = Date.now() / 1_000 - silentS;
  for (const file of ["workflows/one.json", "runs/one/events.jsonl", "runs/one/lock.1"]) {
    await utimes(path.join(project.dir, ".raymond", file), then, then);
  }
  return all;
}

/** The type and the action of events about the control and the end of the run `one`. */
async function controlEvents(project: Scene["project"]) {
  const lines = (await project.read(".raymond/runs/one/events.jsonl")).trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as { type: string; action?: string });
  return events
    .filter(({ type }) => type === "run.controlled" || type === "run.ended")
    .map(({ type, action }) => [type, action]);
}

describe("--take-over", () => {
  it("is suggested for a run that a missing host holds, and is recorded", async () => {
    const { project, raymond } = await heldElsewhere(7_200);

    const listed = await raymond("list");
    const status = await raymond("status one");
    const compared = await raymond("diff-runs one one");
    const refused = await raymond("--resume one");
    await project.write("go", "");
    const resumed = await raymond("--resume one --take-over");

    expect(listed.stdout).toContain("held on build-7, last activity 2 h ago");
    expect(status.stdout).toMatch(
      /^status +held on build-7 \(pid 12\), last activity .*, 2 h ago$/m,
    );
    expect(status.stdout).toContain("raymond resume one --take-over");
    expect(compared.stdout).toMatch(/^status +held +held$/m);
    expect(refused.exitCode).toBe(6);
    expect(refusal(refused)).toContain("take the run over with: raymond resume one --take-over");
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(resumed.stderr).toContain("one was locked by process 12 on build-7");
    const log = await project.read(".raymond/runs/one/events.jsonl");
    expect(log).toMatch(/"type":"run.taken-over".*"host":"build-7","pid":12/);
    expect((await raymond("status one")).stdout).toMatch(
      /^taken +today .* from pid 12 on build-7/m,
    );
  });

  it("is suggested with the name of the host when such a run is watched", async () => {
    const { start, project } = await heldElsewhere(7_200);
    const before = await project.read(STATE);
    const attached = start("attach one");

    await attached.waitForStderr(/START\.sh/);
    attached.kill("SIGINT");

    const { stderr } = await attached.exit;
    expect(stderr).toMatch(
      /^attached to one, locked by process 12 on build-7, last activity 2 h ago\n/,
    );
    expect(stderr).toContain("on build-7: raymond attach one\n");
    expect(stderr).toContain("if the process is certainly dead: raymond resume one --take-over\n");
    expect(await project.read(STATE)).toBe(before);
    killMarked(await project.orphans());
    await until("what the run has left to be dead", async () =>
      (await project.orphans()).length === 0 ? true : undefined,
    );
  });

  it("of stop releases the run, and prints its assumption", async () => {
    const { project, raymond } = await heldElsewhere(7_200);

    expect((await raymond("stop one")).exitCode).toBe(6);
    const stopped = await raymond("stop one --take-over");

    expect(stopped.exitCode).toBe(0);
    expect(stopped.stderr).toMatch(
      /is taken over by \S+ on \S+\. If that process is alive, it loses the run at its next save\./,
    );
    expect(stopped.stdout).toContain("one is no longer locked: crashed.");
    await project.write("go", "");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  it("of prune deletes the named run", async () => {
    const { project, raymond, runs } = await heldElsewhere(7_200);

    expect((await raymond("prune --all --take-over")).exitCode).toBe(2);
    expect((await raymond("prune one")).exitCode).toBe(6);
    expect((await raymond("prune one --take-over")).exitCode).toBe(0);
    expect(await runs()).toEqual([]);
    killMarked(await project.orphans());
    await until("the rest of it to be dead", async () =>
      (await project.orphans()).length === 0 ? true : undefined,
    );
  });

  it("is rejected while the lock holder sends heartbeats, or is alive on this host", async () => {
    // By a clock that is a little ahead.
    const { raymond, start, project } = await heldElsewhere(-30);

    for (const line of [
      "--resume one --take-over",
      "stop one --take-over",
      "prune one --take-over",
    ]) {
      expect((await raymond(line)).exitCode).toBe(6);
    }
    await forgeLock(project, { released: true });
    const living = start("--resume one");
    await living.waitForStderr(/run one resumed with 1 agent/);
    expect((await raymond("--resume one --take-over")).exitCode).toBe(6);
    expect((await raymond("stop one")).exitCode).toBe(0);
    await living.exit;
  });
});

describe("raymond stop", () => {
  it("ends a run from another terminal with all that it has started, and it can be resumed", async () => {
    const { project, raymond, start } = await scene(WAITING);
    const first = start("w --workflow-id one");
    await project.fileWith("started");

    const stopped = await raymond("stop");

    expect(stopped).toMatchObject({ exitCode: 0 });
    expect(stopped.stdout).toBe("one has stopped: interrupted.\nResume with: raymond resume one\n");
    expect(stopped.stderr).toContain(`Process ${String(first.pid)} is stopping;`);
    expect(await project.orphans()).toEqual([]);
    expect((await first.exit).exitCode).toBe(143);
    expect((await controlEvents(project)).map(([type]) => type)).toEqual([
      "run.controlled",
      "run.ended",
    ]);
    expect(await project.list(".raymond/runs/one/requests")).toEqual([]);

    await project.write("go", "");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  it("is recorded before the end of a run that only waits", async () => {
    const { project, raymond, start } = await scene({
      "w/1_START.sh": "echo '<goto delay=\"1h\">2_END</goto>'\n",
      "w/2_END.sh": resultScript("late"),
    });
    const first = start("w --workflow-id one");
    await first.waitForStderr(/waiting for the delay/);

    expect((await raymond("stop")).exitCode).toBe(0);
    await first.exit;

    expect(await controlEvents(project)).toEqual([
      ["run.controlled", "stop"],
      ["run.ended", undefined],
    ]);
  });

  it("is recorded once if the process has to be killed", async () => {
    const { project, raymond, start } = await scene(WAITING);
    const first = start("w --workflow-id one");
    await project.fileWith("started");
    first.kill("SIGSTOP");

    const stopped = await raymond("stop --timeout 1s");

    expect(stopped.stdout).toContain("crashed");
    expect(await controlEvents(project)).toEqual([["run.controlled", "stop"]]);
    expect(await project.list(".raymond/runs/one/requests")).toEqual([]);
  });

  it("lets the steps in flight end by themselves with --after-steps", async () => {
    const { project, raymond, start } = await scene({
      "w/START.sh": `echo x >started\n${waitForFile("go", "echo '<goto>NEXT</goto>'\n")}`,
      "w/NEXT.sh": resultScript("ok"),
    });
    const first = start("w --workflow-id one");
    await project.fileWith("started");

    const stopped = await raymond("stop --after-steps");
    await project.write("go", "");

    expect(stopped).toMatchObject({
      exitCode: 0,
      stdout: "one stops once 1 step in flight has ended.\n",
    });
    expect((await first.exit).exitCode).toBe(130);
    expect(await raymond("status one")).toMatchObject({
      stdout: expect.stringMatching(
        /Stopped after the steps in flight, as requested\.[\s\S]*main at NEXT\.sh/,
      ) as string,
    });
    expect(await raymond("stop one --after-steps")).toMatchObject({
      exitCode: 0,
      stdout: "No process runs one.\n",
    });
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  it("refuses to be patient and impatient at once", async () => {
    const { raymond } = await scene(WAITING);

    expect(refusal(await raymond("stop --after-steps --timeout 5s"))).toBe(
      "error: --after-steps and --timeout cannot be combined. [cli/flag-conflict]\nhint: Use only one of them. --after-steps kills nothing.",
    );
  });

  it("kills a client that ignores signals", async () => {
    const { project, raymond, start, called } = await scene({ "w/START.md": "Go." }, [
      { do: ["hang", "ignore-signals"] },
    ]);
    const first = start("w --workflow-id one");
    await called(1);

    const stopped = await raymond("stop one --timeout 0");

    expect(stopped).toMatchObject({ exitCode: 0 });
    expect(stopped.stderr).toContain("steps in flight are killed");
    expect(await project.orphans()).toEqual([]);
    expect((await first.exit).exitCode).toBe(143);
  });

  it("kills a raymond that does not react, which can be resumed all the same", async () => {
    const { project, raymond, start } = await scene(WAITING);
    const first = start("w --workflow-id one");
    await project.fileWith("started");
    first.kill("SIGSTOP");

    const stopped = await raymond("stop one --timeout 0");

    expect(stopped).toMatchObject({ exitCode: 0 });
    expect(stopped.stdout).toContain("one was killed: crashed.");
    expect(stopped.stdout).toContain("Ended orphan processes:");
    expect(await project.orphans()).toEqual([]);
    expect((await first.exit).signal).toBe("SIGKILL");
    await project.write("go", "");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  it("kills the orphan processes of a crashed run, and no others", async () => {
    const { project, raymond, start } = await scene(WAITING);
    const first = start("w --workflow-id one");
    await project.fileWith("started");
    first.kill("SIGKILL");
    await first.exit;
    expect((await project.orphans()).length).toBeGreaterThan(0);

    const stopped = await raymond("stop one");

    expect(stopped).toMatchObject({ exitCode: 0, stderr: "" });
    expect(stopped.stdout).toMatch(
      /^one is not running: crashed\.\nEnded orphan processes:\n {2}\d+ {2}/,
    );
    expect(await project.orphans()).toEqual([]);
    const again = await raymond("stop one");
    expect(again).toMatchObject({ exitCode: 0, stderr: "" });
    expect(again.stdout).not.toContain("orphan processes");
  });

  it("kills processes without a token by their recorded process group", async () => {
    const { project, raymond, start } = await scene({
      "w/START.sh":
        "exec env -u RAYMOND_STEP_TOKEN /bin/bash -c 'sleep 300 & echo >started; exec sleep 300'\n",
    });
    const first = start("w --workflow-id one");
    await project.fileWith("started");
    await project.fileWith(".raymond/runs/one/groups/1", (text) => text.endsWith("\n"));
    first.kill("SIGKILL");
    await first.exit;
    expect(await project.orphans()).toHaveLength(2);

    const stopped = await raymond("stop one");

    expect(stopped).toMatchObject({ exitCode: 0, stderr: "" });
    expect(stopped.stdout).toContain("Ended orphan processes:");
    expect(await project.orphans()).toEqual([]);
  });

  it("never signals a process that has the pid of a holder that is dead", async () => {
    const { project, raymond } = await scene({ "w/START.sh": "exit 1\n" });
    await raymond("w --workflow-id one");
    const stranger = spawn("sleep", ["300"]);
    onTestFinished(() => void stranger.kill("SIGKILL"));
    await forgeLock(project, { pid: stranger.pid });

    const stopped = await raymond("stop one");

    expect(stopped).toMatchObject({ exitCode: 0, stderr: "" });
    expect(stopped.stdout).toContain("one is not running: failed.");
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
  });

  it("rejects a run that another host holds, and a missing one", async () => {
    const { project, raymond } = await scene({ "w/START.sh": "exit 1\n" });
    await raymond("w --workflow-id one");
    await forgeLock(project, { host: "elsewhere", boot: "another", pid: 1 });

    const refused = await raymond("stop one");
    expect(refused).toMatchObject({ exitCode: 6, stdout: "" });
    expect(refusal(refused)).toContain("locked by process 1 on elsewhere");
    expect(refusal(refused)).toContain("hint: Run the same command on that host");

    expect((await raymond("stop nosuchrun")).exitCode).toBe(7);
    expect((await raymond("stop one --timeout soon")).exitCode).toBe(2);
  });
});

describe("raymond retry", () => {
  it("lets a run that is waiting try again at once", async () => {
    const { project, raymond, start, calls } = await scene({ "w/START.md": "Go." }, [
      { do: "limit", resetsAt: inSeconds(3600) },
      DONE,
    ]);
    const first = start("w --workflow-id one");
    await project.fileWith(STATE, (text) => text.includes('"status": "waiting"'));

    const retry = await raymond("retry");

    expect(retry).toMatchObject({
      exitCode: 0,
      stdout: "one is retrying now: main.\n",
      stderr: "",
    });
    expect(await first.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(await calls()).toHaveLength(2);
  });

  it("ends the wait of a run without a process, and shows how to continue", async () => {
    const { raymond, calls } = await scene({ "w/START.md": "Go." }, [
      { do: "limit", resetsAt: inSeconds(3600) },
      DONE,
    ]);
    await raymond("w --workflow-id one --no-wait");
    expect((await raymond("--resume one")).exitCode).toBe(5);
    expect(await calls()).toHaveLength(1);

    const retry = await raymond("retry one");
    expect(retry).toMatchObject({ exitCode: 0, stderr: "" });
    expect(retry.stdout).toContain("Resume with: raymond resume one");

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect((await raymond("retry one")).stderr).toContain("is not waiting for anything");
  });

  it("leaves a run alone that does not wait; the signal itself does it no harm", async () => {
    const { project, raymond, start } = await scene(WAITING);
    const first = start("w --workflow-id one");
    await project.fileWith("started");

    const retry = await raymond("retry one");
    expect(retry).toMatchObject({ exitCode: 0, stdout: "" });
    expect(retry.stderr).toContain("one is not waiting for anything");

    first.kill("SIGUSR2");
    await project.write("go", "");
    expect(await first.exit).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });
});

describe("raymond cost", () => {
  it("shows where the money went, to people and to scripts", async () => {
    const { raymond } = await scene(
      { "w/START.md": "One", "w/TWO.md": "Two", "w/END.sh": resultScript("x") },
      [
        { match: "One", say: "<goto>TWO</goto>", cost: 0.25, tokens: [1000, 100] },
        { match: "Two", say: "<goto>END</goto>", cost: 0.5, tokens: [2000, 300] },
      ],
    );
    await raymond("w --workflow-id one");

    const shown = await raymond("cost");
    expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
    const lines = shown.stdout.split("\n");
    expect(lines[0]).toBe("one (completed): $0.75 of a budget of $10.00, 3 steps");
    expect(shown.stdout).toMatch(/^TWO\.md +1 +2,000 +300 .*\$0\.50/m);
    expect(shown.stdout).toMatch(/^total +3 +3,000 +400 .*\$0\.75/m);
    expect(lines.findIndex((line) => line.startsWith("TWO.md"))).toBeLessThan(
      lines.findIndex((line) => line.startsWith("START.md")),
    );

    const json = JSON.parse((await raymond("cost one --json")).stdout) as unknown;
    expect(json).toMatchObject({
      workflow_id: "one",
      status: "completed",
      budget_usd: 10,
      total_cost_usd: 0.75,
      totals: { attempts: 3, tokens: { input: 3000, output: 400 } },
      sums: { states: { "START.md": { cost_usd: 0.25 }, "END.sh": { cost_usd: 0 } } },
    });
  });
});

describe("--add-budget", () => {
  it("raises the budget of the run by so much, and is saved", async () => {
    const { project, raymond } = await scene({ "w/START.md": "One", "w/TWO.md": "Two" }, [
      { match: "One", say: "<goto>TWO</goto>", cost: 3 },
      { match: "Two", say: "<result>done</result>", cost: 1 },
    ]);
    expect((await raymond("w --workflow-id one --budget 2")).exitCode).toBe(4);

    const done = await raymond("--resume one --add-budget 2.5");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(await project.run("one")).toMatchObject({ settings: { budget_usd: 4.5 } });
  });

  it.each([
    ["--resume one --add-budget 2 --budget 3", "cannot be used with option --budget USD"],
    ["--resume one --add-budget none", "--add-budget cannot be"],
    ["--resume one --add-budget -1", "--add-budget"],
    ["--resume one --add-budget 1", "Cannot add to the budget of run one: it has none."],
    ["w --add-budget 1", "--add-budget is for raymond resume"],
  ])("is refused where it means nothing: %s", async (line, words) => {
    const { raymond } = await scene({ "w/START.sh": "exit 1\n" });
    await raymond("w --workflow-id one --budget none");

    const refused = await raymond(line);

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain(words);
  });
});

describe("a budget that is spent already", () => {
  it.each([
    ["--budget 0.10", "total budget of $0.10", "--budget 4"],
    ["--budget 3", "total budget of $3.00", "--budget 4"],
    ["--add-budget 0.5", "total budget of $2.50", "--budget 4"],
  ])("is refused on resume before anything runs or is saved: %s", async (flags, words, enough) => {
    const { project, raymond, calls } = await scene({ "w/START.md": "One", "w/TWO.md": "Two" }, [
      { match: "One", say: "<goto>TWO</goto>", cost: 3 },
      { match: "Two", say: "<result>done</result>", cost: 0.5 },
    ]);
    await raymond("w --workflow-id one --budget 2");

    const refused = await raymond(`--resume one ${flags}`);

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("has already spent $3.00");
    expect(refused.stderr).toContain(words);
    expect(refused.stderr).toContain(enough);
    expect(await calls()).toHaveLength(1);
    expect(await project.run("one")).toMatchObject({ settings: { budget_usd: 2 } });
    expect((await raymond(`--resume one ${enough}`)).exitCode).toBe(0);
  });

  it("is answered with the one of the run where that is enough", async () => {
    const { raymond } = await scene({ "w/START.md": "One", "w/TWO.sh": "exit 1\n" }, [
      { say: "<goto>TWO</goto>", cost: 3 },
    ]);
    await raymond("w --workflow-id one");

    const refused = await raymond("--resume one --budget 0.1");

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("omit the flag: the current budget of the run is sufficient.");
  });
});

describe("raymond doctor", () => {
  it("finds no problems, lists its checks, and changes and costs nothing", async () => {
    const { raymond, runs, calls, bash } = await scene({ "w/START.md": "Go." });

    const said = await raymond("doctor");

    expect(said).toMatchObject({ exitCode: 0, stderr: "" });
    for (const name of ["node", "platform", "shell", "claude", "login", "user", "permissions"]) {
      expect(said.stdout).toMatch(new RegExp(`^(ok|warn) +${name} +\\S`, "m"));
    }
    for (const name of ["config", "runs", "disk", "space", "clock"]) {
      expect(said.stdout).toMatch(new RegExp(`^(ok|warn) +${name} +\\S`, "m"));
    }
    expect(await calls()).toEqual([]);
    expect(await runs()).toEqual([]);
    expect((await bash("ls -A")).stdout).toBe("w\n");
  });

  it.each<[string, Parameters<Scene["raymond"]>[1], string]>([
    [
      "without a client",
      { env: { RAYMOND_CLAUDE: "no-such-client" } },
      "FAIL  claude .*--client claude=PATH",
    ],
    [
      "with a setting that is wrong",
      { env: { RAYMOND_BUDGET: "lots" } },
      "FAIL  config .*RAYMOND_BUDGET",
    ],
  ])("ends with 1 %s", async (_, how, words) => {
    const { raymond } = await scene({});

    const said = await raymond("doctor", how);

    expect(said).toMatchObject({ exitCode: 1, stderr: "" });
    expect(said.stdout).toMatch(new RegExp(words));
  });

  it("exits with 1 without a login; with JSON for scripts", async () => {
    const config = '[raymond]\nmodel = "opus"\n';
    const { raymond, project } = await scene({ ".raymond/config.toml": config }, [], {
      loggedIn: false,
    });

    const said = await raymond("doctor --json");

    expect(said).toMatchObject({ exitCode: 1, stderr: "" });
    const source = `${path.join(project.dir, ".raymond", "config.toml")}:2`;
    expect(JSON.parse(said.stdout)).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([
        expect.objectContaining({ name: "login", level: "fail" }),
      ]) as unknown,
      settings: expect.arrayContaining([
        { key: "model", value: '"opus"', origin: "file", source },
      ]) as unknown,
    });
  });
});

describe("raymond prune", () => {
  it("keeps the newest and recent runs", async () => {
    const { project, raymond, runs } = await scene({ "w/START.sh": resultScript("ok") });
    for (const id of ["a", "b", "c"]) await raymond(`w --workflow-id ${id}`);
    const file = ".raymond/workflows/a.json";
    const old = (await project.read(file)).replace(
      /"updated_at": ".*"/,
      '"updated_at": "2025-01-01T00:00:00.000Z"',
    );
    await project.write(file, old);

    expect((await raymond("prune --keep 1 --dry-run")).stdout).toMatch(
      /^would delete {2}a .*\nwould delete {2}b .*\n$/,
    );
    expect((await raymond("prune --older-than 14d --keep 3")).stderr).toContain(
      "Nothing to delete",
    );
    expect((await raymond("prune --older-than 14d --keep 2")).stdout).toMatch(
      /^deleted {2}a .*\n$/,
    );
    expect((await runs()).toSorted()).toEqual(["b", "c"]);

    for (const line of [
      "prune b --keep 1",
      "prune b --all",
      "prune --keep -1",
      "prune --older-than x",
    ]) {
      expect(await raymond(line)).toMatchObject({ exitCode: 2, stdout: "" });
    }
    expect(await runs()).toHaveLength(2);
  });
});

describe("a command line that is mistyped", () => {
  it("names the command that was meant, with the exit code of a path that is not there", async () => {
    const { raymond } = await scene({ "lits/START.sh": resultScript("ok") });

    for (const line of ["lst", "lst --all", "statsu one --json"]) {
      const refused = await raymond(line);
      expect(refused).toMatchObject({ exitCode: 7, stdout: "" });
      expect(refusal(refused)).toMatch(/hint: Did you mean: raymond (list|status)\?/);
    }
    expect(await raymond("lits")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });
});

describe("raymond list where no run is", () => {
  it("names the workflows here and the next command", async () => {
    const { raymond } = await scene({
      "greet/START.sh": resultScript("hi"),
      "workflows/deep/1_START.sh": resultScript("hi"),
      "docs/README.md": "no workflow",
    });

    const said = await raymond("list");

    expect(said).toMatchObject({ exitCode: 0, stdout: "" });
    expect(said.stderr).toMatch(
      /^No runs in .*Workflows in .*: greet, workflows\/deep\. To run one: raymond \/.*\/greet\n$/,
    );
  });

  it("leads to the tour where no workflow is", async () => {
    const { raymond } = await scene({});

    expect((await raymond("list")).stderr).toMatch(/For a demonstration, run: raymond tour\n$/);
    expect((await raymond("nothing")).stderr).toMatch(/For a demonstration, run: raymond tour\n$/);
  });
});
