import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { gitScene } from "./git-scene.ts";
import { refusal, scene } from "./scene.ts";

const TWO_STEPS = {
  "w/START.md": "---\nallowed_transitions:\n  - { tag: goto, target: NEXT }\n---\nWrite a file.\n",
  "w/NEXT.md": "Write another file.\n",
  "notes.txt": "one\ntwo\n",
};
const WRITES = [
  { match: "Write a file", write: { "new.txt": "new\n" }, say: "<goto>NEXT</goto>" },
  { match: "another", write: { "notes.txt": "one\n2\nthree\n" }, say: "<result>done</result>" },
];

interface Status {
  readonly changes: readonly Readonly<Record<string, unknown>>[];
}

describe("the files of a run in a git repository", () => {
  it("are kept before and after each prompt, with the lines that it changed", async () => {
    const { raymond, git } = await gitScene(TWO_STEPS, WRITES);
    const before = git("status", "--porcelain", "--branch");

    const done = await raymond("w --workflow-id one");

    expect(done.exitCode).toBe(0);
    const { changes } = JSON.parse((await raymond("status one --json")).stdout) as Status;
    expect(changes).toMatchObject([
      { step: 1, agent: "main", state: "START.md", files: 1, added: 1, removed: 0, shared: false },
      { step: 2, agent: "main", state: "NEXT.md", files: 1, added: 2, removed: 1, shared: false },
    ]);
    expect(git("show", `${String(changes[0]?.["snapshot"])}:new.txt`)).toBe("new");
    expect(git("rev-parse", "refs/raymond/one/main")).toBe(changes[1]?.["snapshot"]);
    expect(git("status", "--porcelain", "--branch")).toBe(`${before}\n M notes.txt\n?? new.txt`);
    expect(git("stash", "list")).toBe("");
    expect(done.stderr).toContain("changed 1 file, +2 −1");
  });

  it("are not kept with --snapshots off, and not for prompts that cannot change files", async () => {
    const { raymond, git } = await gitScene(
      { ...TWO_STEPS, "w/NEXT.md": "---\npermissions: read-only\n---\nRead another file.\n" },
      [...WRITES, { match: "Read", say: "<result>done</result>" }],
    );

    await raymond("w --workflow-id off --snapshots off");
    const refs = git("for-each-ref", "refs/raymond");
    const read = await raymond("w/NEXT.md --workflow-id read");

    expect(refs).toBe("");
    expect(read.exitCode).toBe(0);
    expect(git("for-each-ref", "refs/raymond")).toBe("");
  });

  it("are kept after scripts with --snapshots all", async () => {
    const { raymond } = await gitScene({ "w/START.sh": "echo x >x\necho '<result>ok</result>'\n" });

    await raymond("w --workflow-id one --snapshots all");

    const { changes } = JSON.parse((await raymond("status one --json")).stdout) as Status;
    expect(changes).toMatchObject([{ step: 1, state: "START.sh", files: 1, added: 1 }]);
  });

  it("are not kept outside git: the run works as before, and reports it to those who asked", async () => {
    const { raymond, project } = await scene(TWO_STEPS, [...WRITES, ...WRITES, ...WRITES]);
    const notice = `no snapshots: ${project.dir} is not in a git repository`;

    const done = await raymond("w --workflow-id one");
    const requested = await raymond("w --snapshots prompts");
    const verbose = await raymond("w --verbose");

    expect(done.exitCode).toBe(0);
    expect((JSON.parse((await raymond("status one --json")).stdout) as Status).changes).toEqual([]);
    expect(done.stderr).not.toContain("no snapshots");
    expect(requested.stderr.split(notice)).toHaveLength(2);
    expect(verbose.stderr.split(notice)).toHaveLength(2);
  });

  it("do not fail a step if git cannot store them: raymond warns once", async () => {
    const { raymond, git, project } = await gitScene(TWO_STEPS, WRITES);
    await project.write(".git/refs/raymond", "in the way\n");

    const done = await raymond("w --workflow-id one");

    expect(done.exitCode).toBe(0);
    expect(done.stderr.match(/Cannot make a snapshot/g)).toHaveLength(1);
    expect(git("status", "--porcelain")).toBe("M notes.txt\n?? new.txt");
  });
});

describe("raymond diff", () => {
  it("shows what a step, a range of steps or the whole run has changed", async () => {
    const { raymond, git } = await gitScene(TWO_STEPS, WRITES);
    // A program of the repository must not run.
    git("config", "diff.external", "touch ran");
    git("config", "core.pager", "touch ran");
    await raymond("w --workflow-id one");

    const step = await raymond("diff one 1");
    const range = await raymond("diff 1..2 --stat");
    const whole = await raymond("diff");
    const json = JSON.parse((await raymond("diff one --json")).stdout) as object;

    expect(step.stdout).toContain("+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n");
    expect(step.stdout).not.toContain("notes.txt");
    expect(range.stdout).toMatch(/new\.txt +\| 1 \+\n.* notes\.txt|notes\.txt.*\n.*new\.txt/);
    expect(whole.stdout).toContain("-two\n+2\n+three\n");
    expect(json).toMatchObject({
      workflow_id: "one",
      steps: [1, 2],
      files: [
        { file: "new.txt", kind: "added", added: 1, removed: 0 },
        { file: "notes.txt", kind: "modified", added: 2, removed: 1 },
      ],
    });
    expect(git("status", "--porcelain")).not.toContain("ran");
  });

  it("says why there is nothing to show", async () => {
    const { raymond } = await gitScene(TWO_STEPS, WRITES);
    await raymond("w --workflow-id one --snapshots off");

    expect(refusal(await raymond("diff one"))).toBe(
      "error: Run one has no snapshots of its files. [run/no-snapshots]\nhint: It ran with snapshots = off. Start the next run with: --snapshots prompts",
    );
    expect(refusal(await raymond("diff one x"))).toContain('"x" names no steps.');
  });

  it("is part of the step, the timeline and the report", async () => {
    const { raymond } = await gitScene(TWO_STEPS, WRITES);
    await raymond("w --workflow-id one");

    expect((await raymond("show one")).stdout).toContain("changed 1 file, +2 −1");
    const step = (await raymond("show one 2")).stdout;
    expect(step).toContain("  notes.txt  +2 −1\n  diff: raymond diff one 2\n");
    const report = (await raymond("report one --md")).stdout;
    expect(report).toContain("## Changes\n\n```text\nnew.txt  +1 −0, new\nnotes.txt  +2 −1\n```");
  });
});

describe("raymond restore", () => {
  it("replaces the files by those of a step, after it has saved them", async () => {
    const { raymond, git, project } = await gitScene(TWO_STEPS, WRITES);
    await raymond("w --workflow-id one");
    await project.write("notes.txt", "by hand\n");
    await project.write("mine.txt", "mine\n");

    const done = await raymond("restore one 1 --yes");

    expect(done.exitCode).toBe(0);
    expect(done.stderr).toContain("  notes.txt  +2 −1\n");
    expect(done.stderr).toContain("no step of the run changed them: 1 file.");
    expect(await project.read("notes.txt")).toBe("one\ntwo\n");
    expect(git("status", "--porcelain")).toBe("?? mine.txt\n?? new.txt");
    const saved = /refs\/raymond-saved\/one\/\d+/.exec(done.stderr)?.[0] ?? "";
    expect(git("show", `${saved}:mine.txt`)).toBe("mine");
    expect(git("show", `${saved}:notes.txt`)).toBe("by hand");
  });

  it("replaces all files with --all-files, and prints the command that undoes it", async () => {
    const { raymond, git, project, bash } = await gitScene(TWO_STEPS, WRITES);
    await raymond("w --workflow-id one");
    await project.write("notes.txt", "by hand\n");
    await project.write("my file.txt", "mine\n");
    await rm(path.join(project.dir, "new.txt"));
    const before = git("status", "--porcelain");

    const done = await raymond("restore one 1 --yes --all-files");

    expect(done.stderr).toContain("  my file.txt  +0 −1, deleted\n");
    expect(git("status", "--porcelain")).toBe("?? new.txt");
    await bash(/To undo it: (.*)/.exec(done.stderr)?.[1] ?? "exit 1");
    expect(git("status", "--porcelain")).toBe(before);
    expect(await project.read("my file.txt")).toBe("mine\n");
    expect(await project.read("notes.txt")).toBe("by hand\n");
  });

  it("keeps the saved files when the run is deleted, whose snapshots are deleted", async () => {
    const { raymond, git } = await gitScene(TWO_STEPS, WRITES);
    await raymond("w --workflow-id one");
    await raymond("restore one 1 --before-step --yes");
    const before = git("for-each-ref", "--format=%(refname)", "refs/raymond", "refs/raymond-saved");

    await raymond("prune one --yes");

    const after = git("for-each-ref", "--format=%(refname)", "refs/raymond", "refs/raymond-saved");
    expect(before).toMatch(/^refs\/raymond-saved\/one\/\d+\nrefs\/raymond\/one\/main$/);
    expect(after).toMatch(/^refs\/raymond-saved\/one\/\d+$/);
  });

  it("restores the files before a step", async () => {
    const { raymond, git } = await gitScene(TWO_STEPS, WRITES);
    await raymond("w --workflow-id one");

    await raymond("restore one 1 --before-step --yes");

    expect(git("status", "--porcelain")).toBe("");
  });

  it("changes nothing without a confirmation, and keeps a file that git ignores", async () => {
    const { raymond, project, git } = await gitScene(TWO_STEPS, WRITES);
    await raymond("w --workflow-id one");
    const before = git("status", "--porcelain");

    const unconfirmed = await raymond("restore one 1");
    await project.write(".gitignore", ".raymond/\nnew.txt\n");
    await project.write("new.txt", "precious\n");
    git("rm", "--quiet", "--cached", "--ignore-unmatch", "new.txt");
    const refused = await raymond("restore one 1 --yes");

    expect(refusal(unconfirmed)).toContain("there is no terminal to ask at");
    expect(before).toBe("M notes.txt\n?? new.txt");
    expect(refusal(refused)).toContain("No file was changed.");
    expect(await project.read("new.txt")).toBe("precious\n");
    expect(await project.read("notes.txt")).toBe("one\n2\nthree\n");
  });
});
