import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resultScript, scene } from "../scene.ts";

const WORKFLOWS = { "w/START.sh": resultScript("ok"), "x/START.sh": "exit 1\n" };

describe("raymond list", () => {
  it("shows all that there are, in local time, and JSON for scripts", async () => {
    const { raymond } = await scene(WORKFLOWS);
    expect(await raymond("list")).toMatchObject({ exitCode: 0, stdout: "" });
    await raymond("w --workflow-id good");
    await raymond("x --workflow-id bad");

    const listed = await raymond("list", { env: { TZ: "Asia/Kathmandu" } });

    expect(listed).toMatchObject({ exitCode: 0, stderr: "" });
    const [head, ...rows] = listed.stdout.trimEnd().split("\n");
    expect(head).toMatch(/^run +status +cost +steps +started \(GMT\+5:45\) +workflow$/);
    expect(rows[0]).toMatch(/^bad +failed +\$0\.00 +0 +(today|yesterday) \d\d:\d\d +x$/);
    expect(rows[1]).toMatch(/^good +completed +\$0\.00 +1 .* w$/);
    const json = (await raymond("list --json")).stdout.trimEnd().split("\n");
    expect(json.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { workflow_id: "bad", status: "failed", total_cost_usd: 0 },
      { workflow_id: "good", status: "completed", steps: 1 },
    ]);
  });

  it("shows the last twenty, those of one status, or all", async () => {
    const { project, raymond } = await scene(WORKFLOWS);
    await raymond("x --workflow-id bad");
    const state = await project.read(".raymond/workflows/bad.json");
    for (let n = 10; n < 33; n += 1) {
      const id = `wf-2026-11-21-abcd${String(n)}`;
      const other = state
        .replace('"workflow_id": "bad"', `"workflow_id": "${id}"`)
        .replace(/"started_at": "[^"]*"/, `"started_at": "2026-11-21T10:${String(n)}:00.000Z"`);
      await project.write(`.raymond/workflows/${id}.json`, other);
    }

    const last = await raymond("list");
    expect(last.stdout.trimEnd().split("\n")).toHaveLength(21);
    expect(last.stdout).toMatch(/^abcd32 +failed/m);
    expect(last.stderr).toBe("4 older runs not shown. To list all runs, add --all.\n");
    expect((await raymond("list --all --status failed")).stdout.trimEnd().split("\n")).toHaveLength(
      25,
    );
    expect(await raymond("list --status crashed")).toMatchObject({
      stdout: "",
      stderr: "No run has the status crashed (24 runs in all).\n",
    });
    const wrong = await raymond("list --status broken");
    expect(wrong).toMatchObject({ exitCode: 2, stdout: "" });
    expect(wrong.stderr).toContain("budget_exceeded");
    expect((await raymond("status abcd32")).stdout).toMatch(/^run +wf-2026-11-21-abcd32$/m);
  });

  it("fits sixty columns", async () => {
    const { raymond } = await scene({ "workflows/night/shift/of/many/START.sh": "exit 1\n" });
    await raymond("workflows/night/shift/of/many");

    const { stdout } = await raymond("list", { env: { COLUMNS: "60" } });

    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(stdout).toMatch(/^[0-9a-z]{6} +failed .*…\S*\/many$/m);
  });
});

describe("raymond status", () => {
  it("shows the status of a run, the reason, and the next command", async () => {
    const { raymond } = await scene(WORKFLOWS);
    await raymond("x --workflow-id bad");

    const status = await raymond("status");

    expect(status).toMatchObject({ exitCode: 0, stderr: "" });
    expect(status.stdout).toMatch(/^status +failed$/m);
    expect(status.stdout).toMatch(/^reason +The script START\.sh failed with exit code 1/m);
    expect(status.stdout).toMatch(/^ {2}main at START\.sh: failed/m);
    expect(status.stdout).toContain("raymond resume bad");
    const json = JSON.parse((await raymond("status bad --json")).stdout) as unknown;
    expect(json).toMatchObject({ workflow_id: "bad", status: "failed", held_by: null });
  });
});

describe("raymond status, the next morning", () => {
  it("shows how to open conversations of ended workers and what to allow, without debug files", async () => {
    const bash = { name: "Bash", input: { command: "npm test" }, denied: true };
    const { project, raymond, calls } = await scene(
      { "w/START.md": "Plan.", "w/NEXT.md": "Sum up.", "w/WORK.md": "Work." },
      [
        { match: "Plan", say: '<fork next="NEXT">WORK</fork>', cost: 0.25 },
        { match: "Work", say: "<result>worked\non it</result>", cost: 0.5, tools: [bash] },
        { match: "Sum", say: "<result>done</result>", cost: 0.5 },
      ],
    );
    await raymond("w --workflow-id one --no-debug");

    const { stdout } = await raymond("status");

    const worker = (await calls()).find(({ prompt }) => prompt.includes("Work."))?.session ?? "?";
    const opened = new RegExp(
      `main_work1 at WORK\\.md: .*\\(\\$0\\.50\\)\\n +cd .* --resume ${worker}$`,
      "m",
    );
    expect(stdout).toMatch(opened);
    expect(stdout).toContain("--allow 'command(npm test)'");
    expect(stdout).toContain("    worked\n    on it\n");
    expect(stdout).toMatch(/^stopped +(today|yesterday) \d\d:\d\d, just now$/m);

    await project.write(".raymond/runs/one/events.jsonl", "\0\0 no log");
    const shorter = await raymond("status");
    expect(shorter).toMatchObject({ exitCode: 0, stderr: "" });
    expect(shorter.stdout).toContain("    worked\n    on it\n");
  });
});

describe("raymond prune", () => {
  it("deletes completed runs with all that they own, and others only when they are named", async () => {
    const { project, raymond, runs } = await scene(WORKFLOWS);
    await raymond("w --workflow-id good");
    await raymond("x --workflow-id bad");
    await raymond("x --workflow-id worse");

    const tried = await raymond("prune --dry-run");
    expect(tried.stdout).toMatch(/^would delete {2}good .*[\d.]+ KiB$/m);
    expect(tried.stderr).toMatch(/^Total: 1 run, [\d.]+ KiB\.$/m);
    expect(await runs()).toHaveLength(3);

    const pruned = await raymond("prune");
    expect(pruned.stdout).toMatch(/^deleted {2}good /);
    expect(pruned.stderr).toMatch(/^Freed: 1 run, [\d.]+ KiB\.$/m);
    expect((await runs()).toSorted()).toEqual(["bad", "worse"]);
    expect((await raymond("prune bad")).exitCode).toBe(0);
    const unconfirmed = await raymond("prune --all");
    expect([unconfirmed.exitCode, unconfirmed.stdout]).toEqual([2, ""]);
    expect(unconfirmed.stderr).toContain("[cli/unconfirmed]");
    expect((await raymond("prune --all --yes")).exitCode).toBe(0);

    expect(await runs()).toEqual([]);
    const state = path.join(project.dir, ".raymond");
    for (const folder of ["runs", "debug"]) {
      expect(await readdir(path.join(state, folder)).catch(() => [])).toEqual([]);
    }
  });
});

describe("raymond prune, at a terminal", () => {
  const COMMAND = 'script -qec "$RAYMOND prune" /dev/null';

  it("asks before it deletes, and requires a yes", async () => {
    const { raymond, bash, runs } = await scene(WORKFLOWS);
    await raymond("w --workflow-id good");

    for (const answer of ["", "n", "no way"]) {
      const asked = await bash(`echo '${answer}' | ${COMMAND}`);
      expect(asked.stdout).toMatch(/Delete 1 run, [\d.]+ KiB\? \[y\/N\]/);
      expect(asked.stdout).toContain("Nothing was deleted.");
    }
    expect(await runs()).toEqual(["good"]);

    expect((await bash(`echo y | ${COMMAND}`)).stdout).toContain("Freed: 1 run");
    expect(await runs()).toEqual([]);
  });

  it("does not ask with --yes", async () => {
    const { raymond, bash, runs } = await scene(WORKFLOWS);
    await raymond("w --workflow-id good");

    const withFlag = await bash(COMMAND.replace("prune", "prune --yes"));

    expect(withFlag.stdout).not.toContain("[y/N]");
    expect(await runs()).toEqual([]);
  });
});

describe("raymond", () => {
  it.each([
    ["", "raymond WORKFLOW"],
    ["--help", "--budget USD"],
    ["help exit-codes", "130  Interrupted"],
    ["help prune", "--dry-run"],
    ["--version", "0.1.0+"],
  ])("explains itself on standard output: raymond %s", async (line, words) => {
    const { raymond } = await scene({});

    const said = await raymond(line === "" ? [] : line);

    expect(said).toMatchObject({ exitCode: 0, stderr: "" });
    expect(said.stdout).toContain(words);
  });

  it("reads the first state's input from a flag or from standard input, and its variables", async () => {
    const { raymond } = await scene({ "w/START.sh": resultScript("$RAYMOND_RESULT for $who") });

    expect((await raymond(["w", "--input", "in", "--var", "who=me"])).stdout).toBe("in for me\n");
    expect((await raymond("w --input - --var who=a=b", { stdin: "piped" })).stdout).toBe(
      "piped for a=b\n",
    );
  });

  it("reports a deleted working directory", async () => {
    const { bash } = await scene({ "sub/x": "x" });

    const refused = await bash("cd sub && rm -r ../sub && raymond list");

    expect(refused).toMatchObject({ exitCode: 7, stdout: "" });
    expect(refused.stderr).toContain("The current folder no longer exists.");
  });

  it("stores runs in --state-dir, and includes it in the suggested commands", async () => {
    const { raymond, project, runs } = await scene(WORKFLOWS);

    const failed = await raymond("x --workflow-id one --state-dir other");

    expect(failed.stderr).toContain("resume with: raymond --state-dir other resume one");
    expect(await runs()).toEqual([]);
    expect(await project.read("other/workflows/one.json")).toContain('"failed"');
    await project.write("x/START.sh", resultScript("ok"));
    expect((await raymond("--state-dir other --resume one")).stdout).toBe("ok\n");
  });
});
