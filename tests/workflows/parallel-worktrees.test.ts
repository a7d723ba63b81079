import { cp } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { gitScene } from "../e2e/git-scene.ts";
import { WORKFLOWS } from "./sample.ts";
import { simulate } from "./simulate.ts";

const WORKFLOW = "parallel-worktrees";

describe("workflows/parallel-worktrees", () => {
  it("merges the branches of ten agents", async () => {
    const { project, git } = await gitScene({ "a.txt": "a\n" });

    const done = await simulate(WORKFLOW, project);

    expect(done.exitCode).toBe(0);
    expect(done.visited("main")).toEqual(["START.sh", "MERGE.sh", "REPORT.sh"]);
    expect(done.stdout.trim().split("\n")).toHaveLength(10);
    expect(git("branch", "--list", "raymond/*", "--merged").split("\n")).toHaveLength(10);
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    expect(git("status", "--porcelain")).toBe("");
  });

  it("lets a prompt resolve the conflict of two agents", async () => {
    const work = (task: string, text: string) => ({
      match: `is: ${task}`,
      write: { "shared.txt": text },
      say: '<goto input="changed">NOTE</goto>',
    });
    const { project, git, raymond } = await gitScene({ "shared.txt": "line\n" }, [
      work("one", "line of one\n"),
      work("two", "line of two\n"),
      {
        match: "The merge has stopped",
        write: { "shared.txt": "line of one and two\n" },
        say: "<goto>CONTINUE</goto>",
      },
    ]);
    const folder = path.join(project.home, WORKFLOW);
    await cp(path.join(WORKFLOWS, WORKFLOW), folder, { recursive: true });

    const done = await raymond([folder, "--worktree", "all", "--input", "one\ntwo\n"]);

    expect(done.exitCode).toBe(0);
    expect(git("show", "raymond/all:shared.txt")).toBe("line of one and two");
    expect(git("log", "--oneline", "--merges", "raymond/all").split("\n")).toHaveLength(2);
    expect(git("status", "--porcelain")).toBe("");
  });
});
