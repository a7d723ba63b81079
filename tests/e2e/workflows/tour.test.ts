import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { refusal, type Scene, scene } from "../scene.ts";

/** A folder with a file, and a folder for temporary files. */
async function somewhere(files: Readonly<Record<string, string>> = { "mine.txt": "mine" }) {
  const set = await scene(files);
  const temporary = path.join(set.project.home, "tmp");
  await mkdir(temporary);
  return { ...set, how: { env: { TMPDIR: temporary, TEMP: temporary, TMP: temporary } } };
}

/** Remaining files in both folders. */
async function left({ project }: Scene): Promise<readonly string[]> {
  return [...(await readdir(project.dir)), ...(await readdir(path.join(project.home, "tmp")))];
}

describe("raymond tour", () => {
  it("introduces the tour, runs it, suggests next steps, and leaves no files", async () => {
    const set = await somewhere();

    const tour = await set.raymond("tour", set.how);

    expect(tour).toMatchObject({ exitCode: 0 });
    expect(tour.stdout).toMatch(/^That was the tour:\n/);
    expect(tour.stderr).toMatch(
      /^The tour is a small workflow[\s\S]*What you will see:[\s\S]*^run wf-/m,
    );
    expect(tour.stderr).toMatch(/^completed: .*[\s\S]*Next:\n {2}raymond doctor /m);
    for (const [, file = ""] of tour.stderr.matchAll(/(\/\S*\/(?:workflows|docs)\S*)/g)) {
      await readdir(path.dirname(file));
    }
    expect(await left(set)).toEqual(["mine.txt"]);
    expect(await set.calls()).toEqual([]);
  });

  it("is the same whatever is set for the runs of this place", async () => {
    const set = await somewhere({ ".raymond/config.toml": "[raymond]\nmax_steps = 1\n" });

    const tour = await set.raymond("tour --quiet", {
      env: { ...set.how.env, RAYMOND_BUDGET: "0.01" },
    });

    expect(tour).toMatchObject({ exitCode: 0 });
    expect(tour.stderr).not.toContain("Next:");
    expect(await left(set)).toEqual([".raymond"]);
  });

  it("deletes its files after Ctrl-C too, without hints about the deleted run", async () => {
    const set = await somewhere();

    const tour = set.start("tour", set.how);
    await tour.waitForStderr(/The secret word/);
    tour.kill("SIGINT");

    const { exitCode, stdout, stderr } = await tour.exit;
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    expect(stderr).toMatch(/The tour did not finish\. Its files were deleted\.\n$/);
    expect(stderr).not.toMatch(/resume/);
    expect(await left(set)).toEqual(["mine.txt"]);
  });

  it("names the folder that is called like it", async () => {
    const set = await somewhere({ "tour/START.sh": "" });

    const tour = await set.raymond("tour --quiet", set.how);

    expect(tour.stderr).toContain("To run the folder tour here: raymond ./tour");
  });

  it("explains what to do if it cannot write temporary files", async () => {
    const { raymond, project } = await scene({});
    const nowhere = path.join(project.dir, "nowhere");

    const refused = await raymond("tour", {
      env: { TMPDIR: nowhere, TEMP: nowhere, TMP: nowhere },
    });

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refusal(refused)).toMatch(/nowhere.*cli\/no-temporary-folder.*\nhint: .*TMPDIR=FOLDER/);
  });
});
