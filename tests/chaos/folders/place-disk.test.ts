import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { resultScript, type Scene, scene } from "../../e2e/scene.ts";
import { counter } from "../counter.ts";

const run = promisify(execFile);
const DONE = { exitCode: 0, stdout: "done\n" };
const RESUME = "--state-dir small/st --resume one";
const places = counter("places on a small disk");

/** Mounts a disk of this size in the project; false without permission. */
async function smallDisk({ project }: Scene, size: string): Promise<boolean> {
  const small = path.join(project.dir, "small");
  await mkdir(small);
  const mounted = await run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", small]).then(
    () => true,
    () => false,
  );
  if (mounted) {
    onTestFinished(async () => {
      await run("umount", [small]);
    });
  }
  return mounted;
}

const FILL = "head -c 30000000 /dev/zero >small/filler 2>/dev/null\n";

describe("a state folder that becomes read-only during a run", () => {
  it("stops the run with a hint, and the run can be resumed once the folder is writable", async (test) => {
    const locked = "mount --bind small/st/workflows small/st/workflows";
    const here = await scene({
      "w/START.sh": `${locked} && mount -o remount,ro,bind small/st/workflows || exit 9\necho '<goto>END</goto>'\n`,
      "w/END.sh": resultScript("done"),
    });
    if (!(await smallDisk(here, "2m"))) return test.skip("no small disk can be mounted here");
    const workflows = path.join(here.project.dir, "small/st/workflows");
    onTestFinished(async () => {
      await run("umount", [workflows]).catch(() => undefined);
    });
    places.add();

    const broken = await here.raymond("w --workflow-id one --state-dir small/st");
    expect(broken).toMatchObject({ exitCode: 1, stdout: "" });
    expect(broken.stderr).toContain("EROFS");
    expect(broken.stderr).toContain("Resume with: raymond --state-dir small/st resume one");
    const still = await here.raymond(RESUME);
    expect(still.exitCode).not.toBe(0);
    expect(still.stderr).toContain("EROFS");
    expect((await here.raymond("list --state-dir small/st")).stdout).toMatch(/^one +crashed/m);

    await run("umount", [workflows]);
    await here.project.write("w/START.sh", "echo '<goto>END</goto>'\n");
    expect(await here.raymond(RESUME)).toMatchObject(DONE);
  });
});

describe("a disk that is full", () => {
  const long = "head -c 80000 /dev/zero | tr '\\0' y";

  it("stops the run at a long payload, and it can be resumed once there is space", async (test) => {
    const here = await scene({
      "w/START.sh": `${FILL}echo "<goto>LONG</goto>"\n`,
      "w/LONG.sh": `echo "<result>$(${long})</result>"\n`,
    });
    if (!(await smallDisk(here, "400k"))) return test.skip("no small disk can be mounted here");
    places.add();

    const broken = await here.raymond("w --workflow-id one --state-dir small/st");
    expect(broken).toMatchObject({ exitCode: 1, stdout: "" });
    expect(broken.stderr).toMatch(/ENOSPC/);
    expect(broken.stderr).toMatch(/[Rr]esume with: raymond --state-dir small\/st resume one/);

    await here.project.write("small/filler", "");
    await here.project.write("w/START.sh", `echo "<goto>LONG</goto>"\n`);
    const resumed = await here.raymond(RESUME);
    expect(resumed.exitCode).toBe(0);
    expect(resumed.stdout).toBe(`${"y".repeat(80_000)}\n`);
  });
});
