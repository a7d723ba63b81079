import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import type { StepChanges } from "../../src/machine/model/step-changes.ts";
import { commitWork } from "../../src/workspaces/commit-work.ts";
import { findRepository } from "../../src/workspaces/repository.ts";
import { RunSnapshots } from "../../src/workspaces/run-snapshots.ts";
import { testGit, workingTree } from "../support/git/working-tree.ts";
import { step } from "../support/outcomes.ts";

const run = promisify(execFile);
const REF = "refs/raymond/one/main";

type Tree = Awaited<ReturnType<typeof workingTree>>;

/** The steps of a run in a working tree. `work`: what a step does there. */
function runIn({ top, folder }: Tree) {
  const warnings: string[] = [];
  const notices: string[] = [];
  const snapshots = new RunSnapshots({
    ...{ run: "one", mode: "prompts", git: testGit, launchDir: top },
    ...{ folder: path.join(folder, "state"), without: [], isRequested: true },
  });
  const messages = {
    notice: (text: string) => notices.push(text),
    warning: (text: string) => warnings.push(text),
  };
  const doStep = async (work: () => Promise<unknown>): Promise<StepChanges | null> => {
    const started = await snapshots.begin(step("x", { run: "one", cwd: top }), messages);
    await work();
    return (await started?.end()) ?? null;
  };
  return { warnings, notices, doStep };
}

/** Lock files of git below a folder. */
async function locksIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith(".lock"));
}

/** Mounts at a folder until the end of the test. False: not permitted here. */
async function mount(folder: string, ...calls: readonly (readonly string[])[]): Promise<boolean> {
  try {
    const [first = [], ...others] = calls;
    await run("mount", [...first, folder]);
    onTestFinished(async () => {
      await run("umount", ["--lazy", folder]).catch(() => "by the test");
    });
    for (const args of others) await run("mount", [...args, folder]);
    return true;
  } catch {
    return false;
  }
}

/** Until the returned function is called. Root may write in spite of permissions. */
async function makeReadOnly(folder: string, test: TestContext): Promise<() => Promise<unknown>> {
  if (process.getuid?.() === 0) {
    if (!(await mount(folder, ["--bind", folder], ["-o", "remount,bind,ro"])))
      test.skip("root cannot mount a folder read-only here");
    return () => run("umount", [folder]);
  }
  await run("chmod", ["-R", "a-w", folder]);
  const makeWritable = () => run("chmod", ["-R", "u+w", folder]);
  onTestFinished(async () => void (await makeWritable()));
  return makeWritable;
}

describe("a repository that cannot store a snapshot", () => {
  it("is reported once if .git is read-only, and the run continues", async (test) => {
    const tree = await workingTree({ "a.txt": "a\n", "b.txt": "b\n" });
    const { git, top, write } = tree;
    const { doStep, warnings, notices } = runIn(tree);
    const before = await git("for-each-ref");
    await write("b.txt", "changed before the run\n");
    const makeWritable = await makeReadOnly(path.join(top, ".git"), test);

    const changes = [
      await doStep(() => write("a.txt", "2\n")),
      await doStep(() => write("new.txt", "3\n")),
    ];

    expect(changes).toEqual([null, null]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/Make its \.git folder writable .* The run continues\.$/);
    expect(notices).toEqual([]);
    expect(await locksIn(tree.folder)).toEqual([]);
    expect(await git("for-each-ref")).toBe(before);
    expect(await git("status", "--porcelain")).toBe("M a.txt\n M b.txt\n?? new.txt");
    await makeWritable();
    expect(await doStep(() => write("c.txt", "c\n"))).toMatchObject({ files: 1 });
    // In particular, none that lists files as unreadable.
    expect(notices).toEqual([]);
    expect(await git("show", `${REF}:b.txt`)).toBe("changed before the run");
  });

  it("is reported once if the disk is full, and later snapshots contain everything", async (test) => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { git, top, write } = tree;
    const { doStep, warnings, notices } = runIn(tree);
    const first = await doStep(() => write("b.txt", "b\n"));
    const objects = path.join(top, ".git", "objects");
    const kept = path.join(tree.folder, "objects");
    await run("cp", ["-r", objects, kept]);
    if (!(await mount(objects, ["-t", "tmpfs", "-o", "size=1m", "none"])))
      test.skip("no small disk can be mounted here");
    await run("cp", ["-r", `${kept}/.`, objects]);
    const filler = path.join(objects, "filler");
    await write(path.relative(top, filler), randomBytes(700_000));

    const big = randomBytes(600_000);
    const failed = await doStep(async () => {
      await write("small.txt", "small\n");
      await write("big.bin", big);
    });
    const again = await doStep(() => write("a.txt", "2\n"));
    await rm(filler);
    const after = await doStep(() => write("c.txt", "c\n"));

    expect(first).toMatchObject({ files: 1 });
    expect([failed, again]).toEqual([null, null]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("Free some space");
    expect(notices).toEqual([]);
    expect(after).toMatchObject({ files: 1, added: 1 });
    const listed = await git("ls-tree", "-r", "--name-only", REF);
    expect(listed.split("\n")).toEqual(["a.txt", "b.txt", "big.bin", "c.txt", "small.txt"]);
    expect(await git("show", `${REF}:a.txt`)).toBe("2");
    expect(await git("rev-list", "--count", `${String(first?.snapshot)}..${REF}`)).not.toBe("0");
    expect(await locksIn(tree.folder)).toEqual([]);
  });

  it("is reported once if .git is deleted during a step, and the files remain", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { top, write } = tree;
    const { doStep, warnings, notices } = runIn(tree);
    await doStep(() => write("a.txt", "1\n"));

    const deleted = await doStep(async () => {
      await write("a.txt", "2\n");
      await rm(path.join(top, ".git"), { recursive: true });
    });
    const after = await doStep(() => write("a.txt", "3\n"));

    expect([deleted, after]).toEqual([null, null]);
    expect(warnings).toHaveLength(1);
    expect(notices).toEqual([expect.stringContaining("no snapshots: ")]);
    expect(existsSync(path.join(top, ".git"))).toBe(false);
    expect(await readdir(top)).toEqual(["a.txt"]);
  });

  it("is reported once if another program has replaced .git by an empty folder", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { top, write } = tree;
    const { doStep, warnings } = runIn(tree);

    await doStep(async () => {
      await rename(path.join(top, ".git"), path.join(tree.folder, "moved"));
      await mkdir(path.join(top, ".git"));
    });
    await doStep(() => write("a.txt", "3\n"));

    expect(warnings).toHaveLength(1);
    expect(await readdir(path.join(top, ".git"))).toEqual([]);
  });
});

describe("a user who changes the branch during a run", () => {
  it("keeps the commits, and each snapshot has the files of its time", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { git, write } = tree;
    const { doStep, warnings } = runIn(tree);
    await git("checkout", "--quiet", "-b", "topic");

    const first = await doStep(() => write("b.txt", "by the step\n"));
    const second = await doStep(async () => {
      await git("add", "--all");
      await git("commit", "--quiet", "-m", "by the user");
      await git("checkout", "--quiet", "main");
      await git("commit", "--quiet", "--allow-empty", "-m", "meanwhile");
      await git("checkout", "--quiet", "topic");
      await git("rebase", "--quiet", "main");
      await write("c.txt", "c\n");
    });

    expect(warnings).toEqual([]);
    expect(second).toMatchObject({ files: 1, added: 1 });
    expect(await git("log", "--format=%s", "topic")).toBe("by the user\nmeanwhile\nfirst");
    expect(await git("show", `${String(first?.snapshot)}:b.txt`)).toBe("by the step");
    expect(await git("ls-tree", "--name-only", REF)).toBe("a.txt\nb.txt\nc.txt");
    expect(await git("merge-base", "--is-ancestor", String(first?.snapshot), REF)).toBe("");
    expect(await locksIn(tree.folder)).toEqual([]);
  });

  it("may have a rebase in progress, with a conflict and a locked index", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { git, top, write } = tree;
    const { doStep, warnings } = runIn(tree);
    await git("checkout", "--quiet", "-b", "topic");
    await write("a.txt", "topic\n");
    await git("commit", "--quiet", "-am", "topic");
    await git("checkout", "--quiet", "main");
    await write("a.txt", "main\n");
    await git("commit", "--quiet", "-am", "main");
    await git("checkout", "--quiet", "topic");
    await git("rebase", "--quiet", "main").catch(() => "conflict");
    const lock = path.join(top, ".git", "index.lock");
    await write(path.relative(top, lock), "");

    const changes = await doStep(() => write("a.txt", "resolved\n"));

    expect(warnings).toEqual([]);
    expect(changes).toMatchObject({ files: 1 });
    expect(await git("show", `${REF}:a.txt`)).toBe("resolved");
    // The lock is of the user.
    expect(existsSync(lock)).toBe(true);
    await rm(lock);
    expect(await git("status", "--porcelain")).toBe("UU a.txt");
  });
});

describe("files whose names differ only in case", () => {
  it("are all in snapshots of a repository with core.ignorecase on a file system that distinguishes them", async (test) => {
    const tree = await workingTree({ "Readme.md": "1\n" });
    const { git, top, write } = tree;
    if (existsSync(path.join(top, "README.MD"))) test.skip("the file system ignores case");
    await git("config", "core.ignorecase", "true");
    const { doStep } = runIn(tree);

    const renamed = await doStep(() =>
      rename(path.join(top, "Readme.md"), path.join(top, "README.md")),
    );
    const both = await doStep(() => write("readme.md", "2\n"));

    expect(renamed).toMatchObject({ files: 2 });
    expect(await git("ls-tree", "--name-only", String(renamed?.snapshot))).toBe("README.md");
    expect(both).toMatchObject({ files: 1 });
    expect(await git("ls-tree", "--name-only", REF)).toBe("README.md\nreadme.md");
  });

  it("are one file on a file system that ignores case, with its content", async (test) => {
    const tree = await workingTree({ "Readme.md": "1\n" });
    const { git, top, write } = tree;
    if (!existsSync(path.join(top, "README.MD"))) test.skip("the file system distinguishes case");
    const { doStep } = runIn(tree);

    await doStep(async () => {
      await rename(path.join(top, "Readme.md"), path.join(top, "README.md"));
      await write("README.md", "2\n");
    });

    const [name, ...others] = (await git("ls-tree", "--name-only", REF)).split("\n");
    expect(others).toEqual([]);
    expect(await git("show", `${REF}:${String(name)}`)).toBe("2");
  });
});

it("keeps git LFS files as they are, without git LFS: pointers and contents", async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 5\n`;
  const tree = await workingTree({ "a.bin": pointer, "b.bin": pointer });
  const { git, write } = tree;
  await git("config", "filter.lfs.clean", "no-such-program");
  await git("config", "filter.lfs.process", "no-such-program");
  await git("config", "filter.lfs.required", "true");
  await write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  const { doStep, warnings } = runIn(tree);

  const changes = await doStep(() => write("b.bin", "12345"));

  expect(warnings).toEqual([]);
  expect(changes).toMatchObject({ files: 1 });
  expect(await git("cat-file", "blob", `${REF}:a.bin`)).toBe(pointer.trim());
  expect(await git("cat-file", "blob", `${REF}:b.bin`)).toBe("12345");
});

it("commits the work of a worktree whose unchanged files have a filter", async () => {
  const tree = await workingTree({ "a.bin": "a\n", ".gitattributes": "*.bin filter=lfs\n" });
  const { git, top, folder, write } = tree;
  await write("new.txt", "new\n");
  const worktree = await findRepository(top, testGit);

  const work = worktree && (await commitWork("work", worktree, { own: `${folder}/own` }, testGit));

  expect(work).toEqual({ kind: "committed", skipped: [] });
  expect(await git("show", "--format=", "--name-only", "main")).toBe("new.txt");
});

it("names files that it cannot read, and keeps the others", async (test) => {
  if (process.getuid?.() === 0) test.skip("root reads every file");
  const tree = await workingTree({ "a.txt": "a\n" });
  const { doStep, warnings, notices } = runIn(tree);

  await doStep(async () => {
    await tree.write("secret.txt", "x");
    await chmod(path.join(tree.top, "secret.txt"), 0o000);
    await tree.write("b.txt", "b\n");
  });

  expect(warnings).toEqual([]);
  expect(notices).toEqual(["not in snapshots: unreadable file (secret.txt)"]);
  expect(await tree.git("ls-tree", "--name-only", REF)).toBe("a.txt\nb.txt");
});
