import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resultScript, scene } from "./scene.ts";

const WORKFLOWS = { "w/START.sh": resultScript("ok"), "x/START.sh": "exit 1\n" };

describe("raymond list", () => {
  it("shows what is unfinished, all with --all, and JSON for scripts", async () => {
    const { raymond } = await scene(WORKFLOWS);
    expect(await raymond("list")).toMatchObject({ exitCode: 0, stdout: "" });
    await raymond("w --workflow-id good");
    await raymond("x --workflow-id bad");

    const listed = await raymond("list");
    expect(listed.stdout).toMatch(/^bad +failed +\$0\.00 +0 steps .*\/x\n$/);
    expect(listed.stderr).toContain("1 completed run is not shown");
    const all = await raymond("list --all");
    expect(all.stdout).toMatch(/^bad .*\ngood +completed +\$0\.00 +1 step .*\/w\n$/);
    const json = (await raymond("list --all --json")).stdout.trimEnd().split("\n");
    expect(json.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { workflow_id: "bad", status: "failed", total_cost_usd: 0 },
      { workflow_id: "good", status: "completed", steps: 1 },
    ]);
  });
});

describe("raymond status", () => {
  it("says where a run stands, why, and what to do", async () => {
    const { raymond } = await scene(WORKFLOWS);
    await raymond("x --workflow-id bad");

    const status = await raymond("status");

    expect(status).toMatchObject({ exitCode: 0, stderr: "" });
    expect(status.stdout).toMatch(/^status +failed$/m);
    expect(status.stdout).toMatch(/^reason +The script START\.sh failed with exit code 1/m);
    expect(status.stdout).toMatch(/^ {2}main at START\.sh: failed; /m);
    expect(status.stdout).toContain("raymond --resume bad");
    const json = JSON.parse((await raymond("status bad --json")).stdout) as unknown;
    expect(json).toMatchObject({ workflow_id: "bad", status: "failed", held_by: null });
  });
});

describe("raymond prune", () => {
  it("deletes completed runs with all that they own, and others only when they are named", async () => {
    const { project, raymond, runs } = await scene(WORKFLOWS);
    await raymond("w --workflow-id good");
    await raymond("x --workflow-id bad");
    await raymond("x --workflow-id worse");

    const tried = await raymond("prune --dry-run");
    expect(tried.stdout).toMatch(/^would delete {2}good /);
    expect(await runs()).toHaveLength(3);

    expect((await raymond("prune")).stdout).toMatch(/^deleted {2}good /);
    expect((await runs()).toSorted()).toEqual(["bad", "worse"]);
    expect((await raymond("prune bad")).exitCode).toBe(0);
    expect((await raymond("prune --all")).exitCode).toBe(0);

    expect(await runs()).toEqual([]);
    const state = path.join(project.dir, ".raymond");
    for (const folder of ["runs", "debug"]) {
      expect(await readdir(path.join(state, folder)).catch(() => [])).toEqual([]);
    }
  });
});

describe("raymond", () => {
  it.each([
    ["", "raymond WORKFLOW"],
    ["--help", "--budget <usd>"],
    ["help exit-codes", "130  interrupted"],
    ["help prune", "--dry-run"],
    ["--version", "."],
  ])("explains itself on standard output: raymond %s", async (line, words) => {
    const { raymond } = await scene({});

    const said = await raymond(line === "" ? [] : line);

    expect(said).toMatchObject({ exitCode: 0, stderr: "" });
    expect(said.stdout).toContain(words);
  });

  it("takes the first state's input from a flag or from standard input, and its variables", async () => {
    const { raymond } = await scene({ "w/START.sh": resultScript("$RAYMOND_RESULT for $who") });

    expect((await raymond(["w", "--input", "in", "--var", "who=me"])).stdout).toBe("in for me\n");
    expect((await raymond("w --input - --var who=a=b", { stdin: "piped" })).stdout).toBe(
      "piped for a=b\n",
    );
  });

  it("says so in a folder that is gone", async () => {
    const { bash } = await scene({ "sub/x": "x" });

    const refused = await bash("cd sub && rm -r ../sub && raymond list");

    expect(refused).toMatchObject({ exitCode: 7, stdout: "" });
    expect(refused.stderr).toContain("The current folder does not exist any more.");
  });

  it("keeps runs where --state-dir says, and names that place in the way on", async () => {
    const { raymond, project, runs } = await scene(WORKFLOWS);

    const failed = await raymond("x --workflow-id one --state-dir other");

    expect(failed.stderr).toContain("go on with: raymond --state-dir other --resume one");
    expect(await runs()).toEqual([]);
    expect(await project.read("other/workflows/one.json")).toContain('"failed"');
    await project.write("x/START.sh", resultScript("ok"));
    expect((await raymond("--state-dir other --resume one")).stdout).toBe("ok\n");
  });
});
