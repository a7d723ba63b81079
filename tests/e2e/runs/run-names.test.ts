import { chown, readdir, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { refusal, resultScript, scene } from "../scene.ts";

const WORKFLOW = { "w/START.sh": resultScript("ok") };

describe("the name of a run", () => {
  it.each([
    ["--resume /etc/passwd", 2, "not the state file of a run"],
    ["--resume ../../no/such.json", 7, "../../no/such.json"],
    ["--resume no-such-run", 7, 'Run "no-such-run" not found.'],
    ["--resume latest", 7, "No run found"],
    ["--resume a%2Fb", 2, "is not a valid run id"],
    ["status nowhere/x.json", 7, 'Run "nowhere/x.json" not found.'],
    ["prune ../..", 2, "not the state file of a run"],
    ["w --workflow-id ../x", 2, "is not a valid run id"],
    ["w --workflow-id latest", 2, "is not a valid run id"],
    ["w --workflow-id con", 2, "device name"],
  ])("is refused with a way out: raymond %s", async (line, exitCode, words) => {
    const { raymond, runs } = await scene(WORKFLOW);

    const refused = await raymond(line);

    expect(refused).toMatchObject({ exitCode, stdout: "" });
    expect(refusal(refused)).toContain(words);
    expect(refusal(refused)).toContain("hint:");
    expect(await runs()).toEqual([]);
  });

  it("is not a workflow: the error names the commands that accept it", async () => {
    const { project, raymond, runs } = await scene(WORKFLOW);
    await raymond("w --workflow-id night");
    const [made = ""] = (await raymond("w")).stderr.match(/wf-[\w-]+/) ?? [];
    const tail = made.slice(-6);
    const names = ["night", "latest", made, tail, ".raymond/workflows/night.json"];

    for (const name of names) {
      for (const line of [name, `run ${name}`, `--quiet ${name}`]) {
        const refused = await raymond(line);
        expect(refused).toMatchObject({ exitCode: name.endsWith(".json") ? 2 : 7, stdout: "" });
        expect(refusal(refused)).toContain(`\`raymond resume ${name}\``);
      }
    }
    for (const name of names.slice(0, 4)) await project.write(`${name}.sh`, resultScript("mine"));
    for (const name of names.slice(0, 4)) expect((await raymond(name)).stdout).toBe("mine\n");
    // A prefix of an id is not accepted here: many words start with it.
    expect(refusal(await raymond("n"))).not.toContain("resume");
    expect(await runs()).toHaveLength(6);
  });

  it("may be a link to a run elsewhere: that run continues, without a second one", async () => {
    const { project, raymond } = await scene({
      "w/START.sh": `[ -e ok ] && ${resultScript("ok")}`,
      "other/workflows/keep": "",
    });
    expect((await raymond("w --workflow-id one")).exitCode).toBe(1);
    const link = path.join(project.dir, "other", "workflows", "alias.json");
    await symlink(path.join(project.dir, ".raymond", "workflows", "one.json"), link);
    await project.write("ok", "");

    const resumed = await raymond("--state-dir other --resume alias");

    expect(resumed).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect((await raymond("status one")).stdout).toMatch(/^status +completed$/m);
    expect(await readdir(path.dirname(link))).toEqual(["alias.json", "keep"]);
  });

  it("is unique, ignoring case, and a finished run is not resumed", async () => {
    const { raymond } = await scene(WORKFLOW);
    expect((await raymond("w --workflow-id one")).exitCode).toBe(0);

    const taken = await raymond("w --workflow-id ONE");
    expect(taken.exitCode).toBe(2);
    expect(refusal(taken)).toContain("as one");

    const finished = await raymond("--resume one");
    expect(finished).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(finished)).toContain("Its result: ok");
  });

  it("is given to one of several concurrent processes, and a run is resumed by one", async () => {
    const { project, raymond } = await scene({
      "w/START.sh": "echo x >>tries\n[ -e ok ] && echo '<result>ok</result>'\n",
    });
    const together = (line: string) =>
      Promise.all(Array.from({ length: 4 }, async () => (await raymond(line)).exitCode));

    const started = await together("w --workflow-id one");

    expect(started.filter((code) => code === 1)).toHaveLength(1);
    expect(started.every((code) => code === 1 || code === 2 || code === 6)).toBe(true);
    expect(await project.read("tries")).toBe("x\n");
    await project.write("ok", "");
    const resumed = await together("--resume one");
    expect(resumed.filter((code) => code === 0)).toHaveLength(1);
    expect(resumed.every((code) => code === 0 || code === 2 || code === 6)).toBe(true);
    expect(await project.read("tries")).toBe("x\nx\n");
  });

  it("may be the id, a prefix, the tail, the path of the state file, or latest", async () => {
    const { project, raymond, runs } = await scene({
      "w/START.sh": "echo again >>tries; exit 1\n",
    });
    await raymond("w");
    const [id = ""] = await runs();
    expect(id).toMatch(/^wf-\d{4}-\d\d-\d\d-[0-9a-z]{6}$/);

    for (const name of [id, id.slice(0, 15), id.slice(-6), "latest"]) {
      const again = await raymond(["--resume", name]);
      expect(again).toMatchObject({ exitCode: 1 });
      expect(again.stderr).toContain(`run ${id} resumed with 1 agent`);
    }
    const file = path.join(project.dir, ".raymond", "workflows", `${id}.json`);
    const elsewhere = await raymond(["resume", file], { cwd: project.home });
    expect(elsewhere.stderr).toContain(`run ${id} resumed with 1 agent`);
    expect(await project.read("tries")).toBe("again\n".repeat(6));
  });

  it("may be a path to another project: printed commands work in the current folder", async () => {
    const { raymond, bash } = await scene({ "w/START.sh": "exit 1\n", "it's here/x": "" });
    await raymond(["w", "--workflow-id", "one", "--state-dir", "it's here"]);

    const status = await raymond(["status", "it's here/workflows/one.json"]);
    const advice = /^ {2}(raymond .*resume one)$/m.exec(status.stdout)?.[1] ?? "";
    const again = await bash(advice);

    expect(advice).toContain("--state-dir '");
    expect(again.stderr).toContain("run one resumed with 1 agent");
    const byPath = await raymond(["--resume", "it's here/workflows/one.json"]);
    expect(byPath.stderr).toContain(`resume with: ${advice}`);
    const taken = await raymond(["w", "--workflow-id", "one", "--state-dir", "it's here"]);
    expect(taken.stderr).toContain(
      "resume the run with: raymond --state-dir 'it'\\''s here' resume one",
    );
  });

  it("may not fit several runs", async () => {
    const { raymond } = await scene(WORKFLOW);
    await raymond("w --workflow-id first-a");
    await raymond("w --workflow-id first-b");

    const refused = await raymond("status first");

    expect(refused.exitCode).toBe(2);
    expect(refusal(refused)).toContain("first-a, first-b");
  });
});

describe("a state file that cannot be used", () => {
  it.each([
    ["cut off", (text: string) => text.slice(0, 300), "cut off"],
    ["empty", () => "", "it is empty"],
    ["newer", (text: string) => text.replace(/"version": \d+/, '"version": 99'), "version 99"],
    ["strange", (text: string) => text.replace('"steps": 1', '"steps": "1"'), "steps"],
    ["with more", (text: string) => text.replace("{", '{ "extra": 1,'), "extra"],
  ])("is refused, and left as it is: %s", async (_, damage, words) => {
    const { project, raymond } = await scene({
      "w/START.sh": 'echo "<goto>END</goto>"\n',
      "w/END.sh": "exit 1\n",
    });
    await raymond("w --workflow-id one");
    const file = ".raymond/workflows/one.json";
    const damaged = damage(await project.read(file));
    await project.write(file, damaged);

    const refused = await raymond("--resume one");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toContain(file);
    expect(refusal(refused)).toContain(words);
    expect(await project.read(file)).toBe(damaged);
  });

  it("explains from the event log what can be recovered and how", async () => {
    const { project, raymond } = await scene({
      "w/START.sh": 'echo "<goto>END</goto>"\n',
      "w/END.sh": `[ -e go ] || exit 1\n${resultScript("continued")}`,
    });
    await raymond("w --workflow-id one");
    await project.write(".raymond/workflows/one.json", "no JSON at all");

    const status = await raymond("status one");

    expect(status.exitCode).toBe(2);
    expect(status.stderr).toContain("is not JSON");
    expect(status.stderr).toContain("See what the event log recorded with: raymond status");
    expect(status.stdout).toMatch(/^ {2}main failed in END\.sh: .*exit code 1/m);
    const again = /without its conversation: raymond (\S+)$/m.exec(status.stdout)?.[1] ?? "";
    await project.write("go", "");
    expect(await raymond([again])).toMatchObject({ exitCode: 0, stdout: "continued\n" });

    const json = await raymond("status one --json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: "unreadable",
      agents: { main: { state: "END.sh" } },
    });
  });

  it("is listed as unreadable, and deleted only by its name", async () => {
    const { project, raymond, runs } = await scene({ "w/START.sh": resultScript("ok") });
    await raymond("w --workflow-id one");
    await project.write(".raymond/workflows/one.json", "{");

    const listed = await raymond("list --all");

    expect(listed).toMatchObject({ exitCode: 0 });
    expect(listed.stdout).toMatch(/^one +unreadable +– +– +– +–$/m);
    expect(listed.stdout).toMatch(/^one: Cannot use the state file .*one\.json: /m);
    expect(JSON.parse((await raymond("list --json")).stdout)).toMatchObject({
      workflow: null,
      simulated: null,
      total_cost_usd: null,
      steps: null,
      agents: null,
      started_at: null,
    });
    await raymond("prune --all --yes");
    expect(await runs()).toEqual(["one"]);
    expect((await raymond("prune one")).exitCode).toBe(0);
    expect(await runs()).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)("belongs to another user", async () => {
    const { project, raymond } = await scene(WORKFLOW);
    await raymond("w --workflow-id one");
    await chown(path.join(project.dir, ".raymond"), 12345, 12345);

    for (const line of ["w", "--resume one", "list", "status one"]) {
      const refused = await raymond(line);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refusal(refused)).toMatch(/belongs to another user.*\nhint: .*--state-dir/);
    }
  });
});
