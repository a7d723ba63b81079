import { mkdir } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { resultScript, type Scene, scene } from "../../e2e/scene.ts";
import type { Project } from "../../support/project.ts";
import { reportFigure } from "../figures.ts";

/** PATH_MAX on Linux, bytes. Each name has at most 255. */
const PATH_MAX = process.platform === "darwin" ? 1024 : 4096;
/** Space for paths of raymond below the project folder. */
const NEEDED = 200;

const SCRIPT = `
  echo "$RAYMOND_ATTEMPT" >>"$ACTED"
  [ "$RAYMOND_ATTEMPT" = 1 ] && sleep 60
  ${resultScript("ok")}`;

it("resumes after a kill with paths near the length limit", async () => {
  const { project, ...life } = await scene({ "w/START.sh": SCRIPT });
  const folder = await deepFolder(project, PATH_MAX - NEEDED);

  await killAndResume(project, life, { cwd: folder }, []);
  await reportFigure({ what: "runs in a long path", count: 1, failures: [] });
});

it("resumes after a kill with the longest names of folder, workflow and id", async () => {
  const workflow = `${"ü".repeat(120)} x`;
  const { project, ...life } = await scene({ [`${workflow}/START.sh`]: SCRIPT });
  const flags = ["--state-dir", path.join(project.dir, "s".repeat(250))];

  await killAndResume(project, life, {}, flags, workflow, "i".repeat(100));
  await reportFigure({ what: "runs of long names", count: 1, failures: [] });
});

it("rejects a project with a too long path before it runs or writes anything", async () => {
  const { project, raymond } = await scene({ "w/START.sh": SCRIPT });
  const cwd = await deepFolder(project, PATH_MAX - 60);

  const refused = await raymond([path.join(project.dir, "w"), "--workflow-id", "one"], { cwd });

  await reportFigure({ what: "runs in too long a path", count: 1, failures: [] });
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toContain("its path is too long for this system");
  expect(refused.stderr).toContain("--state-dir");
  await expect(project.read("acted")).rejects.toThrow("ENOENT");
});

async function killAndResume(
  project: Project,
  { start, raymond }: Pick<Scene, "start" | "raymond">,
  how: { readonly cwd?: string },
  flags: readonly string[],
  workflow = "w",
  id = "one",
): Promise<void> {
  const env = { ACTED: path.join(project.dir, "acted") };
  const words = [path.join(project.dir, workflow), "--workflow-id", id, ...flags];
  const first = start(words, { ...how, env });
  await project.fileWith("acted");
  const refused = await raymond(["--resume", id, ...flags], { ...how, env });
  expect(refused.exitCode).toBe(6);
  first.kill("SIGKILL");
  await first.exit;

  const resumed = await raymond(["--resume", id, ...flags], { ...how, env });

  expect(resumed).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  expect(await project.read("acted")).toBe("1\n2\n");
  expect(await project.orphans()).toEqual([]);
}

/** Creates a project folder with a path of this length. */
async function deepFolder(project: Project, length: number): Promise<string> {
  let folder = project.dir;
  for (let left = length - folder.length; left > 1; left = length - folder.length) {
    // The last name must not be empty.
    const name = Math.min(left - 1, left > 202 ? 200 : 250);
    folder = path.join(folder, "d".repeat(name));
  }
  await mkdir(folder, { recursive: true });
  return folder;
}
