import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { resultScript, scene } from "../scene.ts";

const run = promisify(execFile);

/** The first step fills the disk. The test deletes its file. */
const FILLING = {
  "w/START.sh": 'head -c 3000000 /dev/zero >small/filler\necho "<goto>END</goto>"\n',
  "w/END.sh": resultScript("done"),
};

describe("a full disk", () => {
  it("stops the run with a hint, and the run continues once there is space", async (test) => {
    const { project, raymond } = await scene(FILLING);
    const small = path.join(project.dir, "small");
    await mkdir(small);
    const mounted = await run("mount", ["-t", "tmpfs", "-o", "size=300k", "none", small]).then(
      () => true,
      () => false,
    );
    if (!mounted) return test.skip("no small disk can be mounted here");
    onTestFinished(async () => {
      await run("umount", [small]);
    });

    const broken = await raymond("w --workflow-id one --state-dir small/st");

    expect(broken).toMatchObject({ exitCode: 1, stdout: "" });
    expect(broken.stderr).toContain("the disk is full (ENOSPC)");
    expect(broken.stderr).toContain("Resume with: raymond --state-dir small/st resume one");
    const state = await project.read("small/st/workflows/one.json");
    // The remaining space may suffice for one more save.
    const at = expect.stringMatching(/^(START|END)\.sh$/) as string;
    expect(JSON.parse(state)).toMatchObject({ agents: [{ current_state: at }] });

    await run("rm", [path.join(small, "filler")]);
    await project.write("w/START.sh", 'echo "<goto>END</goto>"\n');
    expect(await raymond("--state-dir small/st --resume one")).toMatchObject({
      exitCode: 0,
      stdout: "done\n",
    });
  });

  it("is met also as a limit on the size of files", async () => {
    const { bash, raymond } = await scene({
      "w/START.sh": `echo "<goto>END</goto>"\n`,
      "w/END.sh": 'echo "<result>$(head -c 60000 /dev/zero | tr "\\0" y)</result>"\n',
    });

    const broken = await bash("ulimit -f 20; raymond w --workflow-id one --no-debug");

    expect(broken).toMatchObject({ exitCode: 1, stdout: "" });
    expect(broken.stderr).toContain("EFBIG");
    expect(broken.stderr).toContain("Resume with: raymond resume one");
    const resumed = await raymond("--resume one");
    expect(resumed.exitCode).toBe(0);
    expect(resumed.stdout).toBe(`${"y".repeat(60_000)}\n`);
  });

  it("that prevents the start leaves no run behind", async () => {
    const { bash, runs, project } = await scene({ "w/START.sh": resultScript("ok") });
    await project.write("big", "x".repeat(30_000));

    const refused = await bash("ulimit -f 8; raymond w --workflow-id one --input - < big");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("EFBIG");
    expect(refused.stderr).not.toMatch(/resume/i);
    expect(await runs()).toEqual([]);
    expect(await project.list(".raymond/runs")).toEqual([]);

    const written = await bash("ulimit -f 1; raymond --init-config");
    expect(written.stderr).toContain("EFBIG");
    expect(written.stderr).not.toContain("resume");
    expect((await bash("raymond --init-config")).exitCode).toBe(0);
  });

  it("that debug files meet alone is a warning", async () => {
    const { bash } = await scene({
      "w/START.sh": `head -c 100000 /dev/zero | tr '\\0' x >&2\n${resultScript("ok")}`,
    });

    const done = await bash("ulimit -f 30; raymond w");

    expect(done).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(done.stderr).toMatch(/warning: Cannot write some debug files in .*: EFBIG/);
  });
});
