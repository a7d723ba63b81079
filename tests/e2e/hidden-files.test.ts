import { describe, expect, it } from "vitest";
import { gitScene } from "./git-scene.ts";

const FILES = {
  "big/x": "big\n",
  "small/y": "small\n",
  "password.conf": "password=\n",
  "other.conf": "password=\n",
  "w/START.sh": "echo new >small/z\necho '<goto>NEXT</goto>'\n",
  "w/NEXT.sh": "echo last >small/last\necho '<result>done</result>'\n",
  "f/START.sh": "echo '<fork worktree=\"left\">WORK</fork>'\necho '<join>MERGE</join>'\n",
  "f/WORK.sh": "echo work >small/work\necho '<result>ok</result>'\n",
  "f/MERGE.sh": "echo '<result>merged</result>'\n",
};

describe("files outside of a sparse checkout", () => {
  it("are kept by the branches of runs and agents, by merges and by snapshots", async () => {
    const { raymond, git } = await gitScene(FILES);
    git("sparse-checkout", "set", "small", "w", "f");
    const added = (from: string, to: string) =>
      git("diff", "--name-status", from, to).replaceAll("\t", " ").split("\n");

    await raymond("w --worktree one");
    expect(added("main", "raymond/one")).toEqual(["A small/last", "A small/z"]);
    await raymond("w --run-id two --snapshots all");
    expect(added("main", "refs/raymond/two/main")).toEqual(["A small/last", "A small/z"]);
    await raymond("f --run-id three");
    expect(added("main", "raymond/left")).toEqual(["A small/last", "A small/work", "A small/z"]);
    await raymond("rerun two 2 --files --run-id four");
    expect(added("main", "raymond/four")).toEqual(["A small/last", "A small/z"]);
    const first = git("rev-parse", "main");
    expect((await raymond("merge raymond/left --commit-changes")).exitCode).toBe(0);
    expect(added(first, "main")).toEqual(["A small/last", "A small/work", "A small/z"]);
    expect(git("ls-files", "-v", "big")).toBe("S big/x");
    expect(git("status", "--porcelain")).toBe("");
  });
});

describe("changes hidden by git update-index", () => {
  it("are in no commit and no snapshot, and stay hidden", async () => {
    const { raymond, git, project } = await gitScene(FILES);
    git("update-index", "--skip-worktree", "password.conf");
    git("update-index", "--assume-unchanged", "other.conf");
    await project.write("password.conf", "password=hunter2\n");
    await project.write("other.conf", "password=hunter2\n");

    await raymond("w --run-id two --snapshots all");
    await raymond("f --run-id three");
    await raymond("merge raymond/left --commit-changes");

    const commits = git("for-each-ref", "--format=%(objectname)").split("\n");
    expect(commits.length).toBeGreaterThan(3);
    for (const commit of commits)
      expect(git("show", `${commit}:password.conf`, `${commit}:other.conf`)).not.toContain(
        "hunter2",
      );
    expect(git("ls-files", "-v", "*.conf").split("\n")).toEqual([
      "h other.conf",
      "S password.conf",
    ]);
    expect(await project.read("password.conf")).toBe("password=hunter2\n");
    expect(git("status", "--porcelain")).toBe("");
  });
});
