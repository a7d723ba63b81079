import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { refusal, resultScript, scene, waitForFile } from "../scene.ts";

const WAITING = {
  "w/START.sh": `echo x >started\n${waitForFile("go", resultScript("ok"))}`,
};
const OUTPUT = ".raymond/runs/one/output.txt";
/** It is printed last, when others may know of the end already. */
const hasResult = (text: string) => text.endsWith("\nok\n");

describe("--detach", () => {
  it("returns immediately while the run continues", async () => {
    const { project, raymond } = await scene(WAITING);

    const detached = await raymond("w --workflow-id one --detach");
    expect(detached).toMatchObject({ exitCode: 0, stdout: "one\n" });
    expect(detached.stderr).toMatch(
      /^Running in the background as process \d+\. Output: \S+output\.txt\n {2}watch: {2}raymond attach one\n {2}stop: {3}raymond stop one\n$/,
    );
    await project.fileWith("started");
    await project.write("go", "");

    expect(await raymond("attach one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(await project.fileWith(OUTPUT, hasResult)).toContain("completed: $0.00, 1 step");
  });

  it("chooses an id, prints warnings, and prints one object with --json", async () => {
    const { project, raymond } = await scene(WAITING);
    await project.write("go", "");

    const { stdout, stderr } = await raymond("w --detach --json", {
      env: { RAYMOND_BUDGETS: "3" },
    });

    const { workflow_id: id, output } = JSON.parse(stdout) as Record<string, string>;
    expect(id).toMatch(/^wf-/);
    expect(output).toContain(`runs/${String(id)}/output.txt`);
    expect(stderr).toMatch(/^warning: .*RAYMOND_BUDGETS.*\n$/);
    expect(await raymond("attach")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  it("passes no variables of its own to scripts, and forwards standard input", async () => {
    const { raymond } = await scene({
      "w/START.sh": `echo "<result>$RAYMOND_RESULT \${RAYMOND_DETACHED-none} \${NODE_CHANNEL_FD-none}</result>"\n`,
    });

    await raymond("w --detach --input -", { stdin: "from a pipe" });

    expect(await raymond("attach")).toMatchObject({ stdout: "from a pipe none none\n" });
  });

  it("reports startup errors with their exit code, and leaves nothing behind", async () => {
    const { project, raymond } = await scene(WAITING);

    const missing = await raymond("nothing --detach");
    expect(missing.exitCode).toBe(7);
    expect(refusal(missing)).toMatch(/^error: No workflow found at .*nothing/);
    expect((await raymond("w --detach --budget much")).exitCode).toBe(2);
    expect((await raymond("w --detach --workflow-id a/b")).exitCode).toBe(2);
    expect(existsSync(path.join(project.dir, ".raymond"))).toBe(false);
  });

  it("leaves a run of that name as it is, and its output too", async () => {
    const { project, raymond } = await scene(WAITING);
    await project.write("go", "");
    await raymond("w --workflow-id one --detach");
    const before = await project.fileWith(OUTPUT, hasResult);

    expect((await raymond("w --workflow-id one --detach")).exitCode).toBe(2);
    expect(await project.read(OUTPUT)).toBe(before);
    expect((await raymond("status one")).stdout).toContain("completed");
  });

  it("resumes a run in the background, and rejects a locked one", async () => {
    const { project, raymond } = await scene(WAITING);
    await raymond("w --workflow-id one --detach");
    await project.fileWith("started");
    expect(await raymond("--resume one --detach")).toMatchObject({ exitCode: 6, stdout: "" });
    await raymond("stop one");
    await project.write("go", "");

    expect(await raymond("--resume one --detach")).toMatchObject({ exitCode: 0, stdout: "one\n" });
    expect(await raymond("attach one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });
});
