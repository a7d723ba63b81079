import { execFile } from "node:child_process";
import { cp, mkdir, rename, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Scene, scene } from "../scene.ts";

const run = promisify(execFile);

const GATED = `[ -e go ] || exit 1
pwd >>ran
echo "<result>$(pwd)</result>"
`;
const AT_P = { "p/w/START.sh": GATED };

/** A project `p` with a failed run `one`. */
async function failedRun(files: Readonly<Record<string, string>> = AT_P): Promise<Scene> {
  const here = await scene(files);
  await here.raymond("w --run-id one", at(here, "p"));
  return here;
}

function at({ project }: Scene, folder: string) {
  return { cwd: path.join(project.dir, folder) };
}

function place({ project }: Scene, name: string): string {
  return path.join(project.dir, name);
}

async function move(here: Scene, from: string, to: string): Promise<void> {
  await rename(place(here, from), place(here, to));
}

async function copy(here: Scene, from: string, to: string): Promise<void> {
  await cp(place(here, from), place(here, to), { recursive: true });
}

describe("a copied project", () => {
  it.each(["resume one", "stop one", "stop one --after-steps", "set one main --result x"])(
    "is not used by raymond %s",
    async (line) => {
      const here = await failedRun();
      await copy(here, "p", "q");
      await here.project.write("q/go", "");

      const refused = await here.raymond(line, at(here, "q"));

      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toContain(`the run itself is in ${place(here, "p/.raymond")}`);
      expect(refused.stderr).toContain(`cd ${place(here, "p")} && raymond resume one`);
      expect(refused.stderr).toContain("raymond rerun one 1");
      await here.project.write("p/go", "");
      expect((await here.raymond("resume one", at(here, "p"))).stdout).toBe(
        `${place(here, "p")}\n`,
      );
    },
  );

  it("starts a new run there with raymond rerun, and prune deletes only the copy", async () => {
    const here = await failedRun();
    await copy(here, "p", "q");
    await here.project.write("q/go", "");

    const rerun = await here.raymond("rerun one 1 --run-id two --trust-project", at(here, "q"));
    expect(rerun).toMatchObject({ exitCode: 0, stdout: `${place(here, "q")}\n` });
    const pruned = await here.raymond("prune one two --yes", at(here, "q"));

    expect(pruned.exitCode).toBe(0);
    expect((await here.raymond("list", at(here, "p"))).stdout).toMatch(/^one +failed/m);
    await expect(here.project.read("p/ran")).rejects.toThrow("ENOENT");
  });

  it("is recognized while the original is in progress, and its process is left alone", async () => {
    const here = await scene({
      "p/w/START.sh": `echo $RAYMOND_ATTEMPT >>acted\nwhile [ ! -e go ]; do sleep 0.1; done\n${GATED}`,
    });
    const original = here.start("w --run-id one", at(here, "p"));
    await here.project.fileWith("p/acted");
    await copy(here, "p", "q");

    for (const line of ["resume one", "stop one"]) {
      const refused = await here.raymond(line, at(here, "q"));
      expect(refused.stderr).toContain("[run/copied]");
    }

    await here.project.write("p/go", "");
    expect((await original.exit).exitCode).toBe(0);
    expect(await here.project.read("p/acted")).toBe("1\n");
  });

  it("continues in its own folder once the original is deleted", async () => {
    const here = await failedRun();
    await copy(here, "p", "q");
    await rm(place(here, "p"), { recursive: true });
    await here.project.write("q/go", "");

    const resumed = await here.raymond("resume one --trust-project", at(here, "q"));

    expect(resumed).toMatchObject({ exitCode: 0, stdout: `${place(here, "q")}\n` });
  });

  it("is not due", async () => {
    const here = await failedRun();
    await copy(here, "p", "q");

    const due = await here.raymond("resume --due", at(here, "q"));

    expect(due.stderr).toContain("one is not due: Its files are a copy");
  });
});

describe("a moved project", () => {
  it("continues where it is, and says so in one line", async () => {
    const here = await failedRun();
    await move(here, "p", "q");
    await here.project.write("q/go", "");

    const resumed = await here.raymond("resume one --trust-project", at(here, "q"));

    expect(resumed).toMatchObject({ exitCode: 0, stdout: `${place(here, "q")}\n` });
    const lines = resumed.stderr.split("\n").filter((line) => line.includes("was moved"));
    expect(lines).toEqual([
      `warning: Run one was moved from ${place(here, "p/.raymond")}. It continues in ${place(here, "q")} with the workflow in ${place(here, "q/w")}.`,
    ]);
  });

  it("is not confused with a new project at its former place, even with the same run id", async () => {
    const here = await failedRun();
    await move(here, "p", "q");
    await here.project.write("p/w/START.sh", GATED);
    await here.raymond("w --run-id one", at(here, "p"));
    await here.project.write("q/go", "");

    const resumed = await here.raymond("resume one", at(here, "q"));

    expect(resumed.stdout).toBe(`${place(here, "q")}\n`);
    await expect(here.project.read("p/ran")).rejects.toThrow("ENOENT");
  });

  it("can be moved again before and after a resume, and rerun from a step before", async () => {
    const here = await failedRun();
    await move(here, "p", "q");
    await here.raymond("resume one", at(here, "q"));
    await move(here, "q", "r");
    await here.project.write("r/go", "");

    const rerun = await here.raymond("rerun one 1", at(here, "r"));
    const resumed = await here.raymond("resume one", at(here, "r"));

    expect(rerun.stdout).toBe(`${place(here, "r")}\n`);
    expect(resumed.stdout).toBe(`${place(here, "r")}\n`);
  });

  it("keeps a launch folder outside of the moved state directory", async () => {
    const here = await scene({ "p/w/START.sh": GATED });
    await mkdir(place(here, "states"));
    const flags = (folder: string) => `--state-dir ${place(here, folder)}`;
    await here.raymond(`w --run-id one ${flags("states/a")}`, at(here, "p"));
    await move(here, "states/a", "states/b");
    await here.project.write("p/go", "");

    const resumed = await here.raymond(`resume one ${flags("states/b")}`, at(here, "p"));

    expect(resumed).toMatchObject({ exitCode: 0, stdout: `${place(here, "p")}\n` });
  });

  it("finds an archive again that the run has unpacked", async () => {
    const here = await scene({ "p/w/START.sh": GATED });
    const packed = (await here.raymond("pack w", at(here, "p"))).stdout.trim();
    await here.raymond(`${packed} --run-id one`, at(here, "p"));
    await move(here, "p", "q");
    await here.project.write("q/go", "");

    const resumed = await here.raymond("resume one", at(here, "q"));

    expect(resumed.stdout).toBe(`${place(here, "q")}\n`);
  });
});

describe("other paths to the same project", () => {
  it("may be symbolic links to the project and to its state directory", async () => {
    const here = await scene(AT_P);
    await mkdir(place(here, "disk"));
    await symlink(place(here, "disk"), place(here, "p/.raymond"));
    await here.raymond("w --run-id one --trust-project", at(here, "p"));
    await symlink(place(here, "p"), place(here, "link"));
    await here.project.write("p/go", "");

    const state = `${place(here, "link")}/.raymond/workflows/one.json`;
    const resumed = await here.raymond(["resume", state], at(here, "link"));

    expect(resumed).toMatchObject({ exitCode: 0, stdout: `${place(here, "p")}\n` });
    expect(resumed.stderr).not.toContain("moved");
  });

  it("may be bind mounts, as in a container", async (test) => {
    const here = await failedRun();
    await mkdir(place(here, "mount"));
    const mounted = await run("mount", ["--bind", place(here, "p"), place(here, "mount")]).then(
      () => true,
      () => false,
    );
    if (!mounted) return test.skip("no folder can be mounted here");
    onTestFinished(async () => {
      await run("umount", [place(here, "mount")]);
    });
    await here.project.write("p/go", "");

    const resumed = await here.raymond("resume one", at(here, "mount"));

    expect(resumed).toMatchObject({ exitCode: 0, stdout: `${place(here, "p")}\n` });
  });

  it("may be a backup that is restored in the same place", async () => {
    const here = await failedRun();
    await copy(here, "p", "backup");
    await rm(place(here, "p"), { recursive: true });
    await copy(here, "backup", "p");
    await here.project.write("p/go", "");

    const resumed = await here.raymond("resume one", at(here, "p"));

    expect(resumed).toMatchObject({ exitCode: 0, stdout: `${place(here, "p")}\n` });
    expect(resumed.stderr).not.toContain("moved");
  });
});
