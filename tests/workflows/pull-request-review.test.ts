import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Project, tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

/** A repository whose branch `topic` can differ from `main`. */
async function repository({ changes }: { readonly changes: boolean }): Promise<Project> {
  const project = await tempProject({ "parse.ts": "one\n" });
  const git = (...words: readonly string[]) => {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      cwd: project.dir,
    });
  };
  git("init", "-q", "-b", "main");
  git("add", "parse.ts");
  git("commit", "-q", "-m", "one");
  git("checkout", "-q", "-b", "topic");
  if (changes) {
    git("mv", "parse.ts", "moved.ts");
    git("commit", "-q", "-m", "moved");
  }
  return project;
}

describe("workflows/pull-request-review", () => {
  it("reviews three aspects, and returns one of two results", async () => {
    const project = await repository({ changes: true });

    const done = await simulate("pull-request-review", project);

    expect(done).toMatchObject({ exitCode: 0, stdout: "CHANGES WANTED\n" });
    expect(done.visited("main")).toEqual(["START.sh", "MERGE.sh", "WRITE.md"]);
    const findings = JSON.parse(
      await project.read("pull-request-review/findings.json"),
    ) as readonly { readonly attributes: { readonly side: string } }[];
    expect(findings.map(({ attributes }) => attributes.side)).toEqual([
      ...["correctness", "security", "tests"],
    ]);
    expect(await project.read("pull-request-review/changes.diff")).toContain("moved.ts");
  });

  it("costs nothing without changes", async () => {
    const project = await repository({ changes: false });

    const done = await simulate("pull-request-review", project);

    expect(done.stdout).toBe("There is nothing to review: HEAD changes nothing of main.\n");
    expect(done.run.total_cost_usd).toBe(0);
  });
});
