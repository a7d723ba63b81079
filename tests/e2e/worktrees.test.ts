import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { gitScene } from "./git-scene.ts";
import { refusal, scene, waitForFile } from "./scene.ts";

const WORK = {
  "w/START.md": "---\nallowed_transitions:\n  - { tag: reset, target: NEXT }\n---\nWrite a file.\n",
  "w/NEXT.md": "Write another file.\n",
  "notes.txt": "one\ntwo\n",
};
const WRITES = [
  { match: "Write a file", write: { "new.txt": "new\n" }, say: "<reset>NEXT</reset>" },
  { match: "another", write: { "notes.txt": "one\n2\nthree\n" }, say: "<result>done</result>" },
];

interface State {
  readonly launch_dir: string;
  readonly worktree: { readonly folder: string; readonly branch: string };
}

async function stateOf(all: Pick<Awaited<ReturnType<typeof gitScene>>, "raymond">, run: string) {
  return JSON.parse((await all.raymond(`status ${run} --json`)).stdout) as State;
}

describe("--worktree", () => {
  it("works on a branch of its own, leaves the checkout alone, and says how to merge", async () => {
    const all = await gitScene(WORK, WRITES);
    const { raymond, git, project } = all;
    await project.write("mine.txt", "mine\n");
    const before = git("status", "--porcelain", "--branch");

    const done = await raymond("w --worktree --run-id one");

    expect(done.exitCode).toBe(0);
    expect(done.stderr).toContain("has uncommitted changes: the worktree starts from");
    expect(done.stderr).toContain(
      "branch raymond/one: 2 files, +3 −1\n  show   git diff ...raymond/one\n  merge  git merge raymond/one\n",
    );
    expect(git("status", "--porcelain", "--branch")).toBe(before);
    expect(git("diff", "--stat", "main", "raymond/one")).toContain("2 files changed");
    const { worktree, launch_dir } = await stateOf(all, "one");
    expect(launch_dir).toBe(worktree.folder);
    expect(git("-C", worktree.folder, "status", "--porcelain", "--branch")).toBe("## raymond/one");
    git("merge", "--quiet", "raymond/one");
    expect(await project.read("new.txt")).toBe("new\n");
  });

  it("removes the worktree and the branch of a run that changed nothing", async () => {
    const { raymond, git } = await gitScene({ "w/START.sh": "echo '<result>ok</result>'\n" });

    const done = await raymond("w --run-id one --worktree quiet");

    expect(done.stderr).toContain("The run changed no files");
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    expect(git("branch", "--list", "raymond/*")).toBe("");
  });

  it("refuses a branch that exists, a bad name, a repository without a commit, and a folder outside git", async () => {
    const { raymond, git, runs } = await gitScene(WORK, WRITES);
    git("branch", "raymond/taken");
    const outside = await scene(WORK, WRITES);

    const taken = await raymond("w --worktree taken");
    const bad = await raymond("w --worktree ../x");
    git("checkout", "--quiet", "--orphan", "empty");
    git("update-ref", "-d", "refs/heads/main");
    const empty = await raymond("w --worktree");

    expect(refusal(taken)).toContain("the branch raymond/taken exists already");
    expect(refusal(bad)).toContain("is not the name of a branch");
    expect(refusal(empty)).toContain("has no commit yet");
    expect(refusal(await outside.raymond("w --worktree"))).toContain("is not in a git repository");
    expect(await runs()).toEqual([]);
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("builds a deleted worktree again when the run is resumed, with its uncommitted files", async () => {
    const all = await gitScene({
      "w/START.sh": "echo kept >kept\necho '<goto>NEXT</goto>'\n",
      "w/NEXT.sh": waitForFile("go", "cat kept >copy\necho '<result>ok</result>'"),
    });
    const { raymond, start, git } = all;
    const running = start("w --worktree --run-id one --snapshots all");
    const { worktree } = await untilRunning(all, 2);
    running.kill("SIGKILL");
    await running.exit;
    await rm(worktree.folder, { recursive: true, force: true });

    const resumed = start("resume one");
    await all.project.fileWith(path.relative(all.project.dir, path.join(worktree.folder, "kept")));
    await all.project.write(path.relative(all.project.dir, path.join(worktree.folder, "go")), "");
    await resumed.exit;

    expect(git("show", "raymond/one:copy")).toBe("kept");
    expect(git("worktree", "list").split("\n")).toHaveLength(2);
    await raymond("prune one --yes");
    expect(existsSync(worktree.folder)).toBe(false);
    expect(git("show", "raymond/one:copy")).toBe("kept");
    expect(git("for-each-ref", "refs/raymond")).toBe("");
  });

  it("saves uncommitted files before prune removes the worktree of an unfinished run", async () => {
    const script = "git commit --quiet --allow-empty -m mine\necho x >unsaved\nexit 1\n";
    const all = await gitScene({ "w/START.sh": script });
    const { raymond, git, project } = all;
    git("config", "user.name", "Test");
    git("config", "user.email", "test@localhost");
    await raymond("w --worktree --run-id one");
    const { worktree } = await stateOf(all, "one");

    const work = "uncommitted files, 1 commit that no other branch has";
    const status = (await raymond("status one")).stdout;
    expect(status).toContain(`the run on branch raymond/one\n    ${worktree.folder}\n    ${work}`);
    const listed = (await raymond("prune one --dry-run")).stdout;
    expect(listed).toContain(
      `  worktree on branch raymond/one: ${work} (saved first, below refs/raymond-saved), ${worktree.folder}`,
    );
    expect(existsSync(worktree.folder)).toBe(true);
    // Nothing is deleted if the files cannot be saved.
    await project.write(".git/refs/raymond-saved", "in the way\n");
    expect((await raymond("prune one --yes")).exitCode).not.toBe(0);
    expect(existsSync(path.join(worktree.folder, "unsaved"))).toBe(true);
    expect(await all.runs()).toEqual(["one"]);
    await rm(path.join(project.dir, ".git/refs/raymond-saved"));

    const pruned = await raymond("prune one --yes");

    expect(existsSync(worktree.folder)).toBe(false);
    expect(await all.runs()).toEqual([]);
    expect(git("log", "-1", "--format=%s", "raymond/one")).toBe("mine");
    const saved = git("for-each-ref", "--format=%(refname)", "refs/raymond-saved");
    expect(pruned.stderr).toContain(`saved uncommitted files: ${saved}`);
    expect(existsSync(path.join(project.dir, ".raymond/runs/one"))).toBe(false);
    expect(git("show", `${saved}:unsaved`)).toBe("x");
  });

  it("removes the worktree of a run that was killed before its first save", async () => {
    const all = await gitScene(WORK, WRITES);
    const { raymond, git, project } = all;
    const base = git("rev-parse", "HEAD");
    const folder = path.join(project.home, ".local/state/raymond/worktrees/project-1/one");
    git("worktree", "add", "--quiet", "-b", "raymond/one", folder);
    const left = { folder, branch: "raymond/one", base, origin: project.dir };
    await project.write(".raymond/runs/one/snapshots/worktree.json", JSON.stringify(left));

    const done = await raymond("prune --yes");

    expect(done.stdout).toContain("remains of  one");
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    expect(git("branch", "--list", "raymond/*")).toBe("");
  });

  describe("a file of the state folder that names a folder of the user", () => {
    it.each(["as a worktree of an agent", "as the worktree of the run", "before the first save"])(
      "does not make prune delete it: %s",
      async (how) => {
        const all = await gitScene({ "w/START.sh": "echo '<result>ok</result>'\n" });
        const { raymond, git, project } = all;
        const folder = path.join(project.home, "documents");
        // A worktree of the user: git itself would delete it.
        git("worktree", "add", "--quiet", "-b", "mine", folder);
        await writeFile(path.join(folder, "letter"), "text\n");
        await raymond("w --run-id one");
        const base = git("rev-parse", "HEAD");
        const named = { folder, branch: "mine", base, origin: project.dir };
        const repository = path.join(project.dir, ".git");
        const state = JSON.parse(await project.read(".raymond/workflows/one.json")) as object;
        const kept = [{ ...named, agent: "main", repository, copy: [], reason: "files" }];
        const forged: Readonly<Record<string, readonly [file: string, content: object]>> = {
          "as a worktree of an agent": ["workflows/one.json", { ...state, kept }],
          "as the worktree of the run": ["workflows/one.json", { ...state, worktree: named }],
          "before the first save": ["runs/two/snapshots/worktree.json", named],
        };
        const [file = "", content] = forged[how] ?? [];
        await project.write(`.raymond/${file}`, JSON.stringify(content));

        const done = await raymond("prune --all --yes");

        expect(done.exitCode).toBe(0);
        expect(await readFile(path.join(folder, "letter"), "utf8")).toBe("text\n");
        expect(git("branch", "--list", "mine")).toContain("mine");
      },
    );
  });

  it("runs no hook and no filter of the repository when it commits the work", async () => {
    const all = await gitScene({
      "w/START.sh":
        "git config filter.evil.clean 'touch ran; cat'\necho '* filter=evil' >.gitattributes\necho x >x\necho '<result>ok</result>'\n",
    });
    const { raymond } = all;

    const done = await raymond("w --worktree --run-id one");

    expect(done.stderr).toContain("are not committed: they use the filter evil.");
    const { worktree } = await stateOf(all, "one");
    expect(existsSync(path.join(worktree.folder, "ran"))).toBe(false);
    expect(existsSync(path.join(worktree.folder, "x"))).toBe(true);
  });
});

it("runs no filter of the repository when it creates a worktree", async () => {
  const all = await gitScene({
    ".gitattributes": "*.txt filter=evil\n",
    "a.txt": "a\r\n",
    "w/START.sh": "cat a.txt >copy\necho '<result>ok</result>'\n",
  });
  const { raymond, git, project } = all;
  git("config", "filter.evil.smudge", `touch '${project.home}/ran'; cat`);

  await raymond("w --worktree --run-id one");

  expect(existsSync(path.join(project.home, "ran"))).toBe(false);
  expect(git("show", "raymond/one:copy")).toBe("a");
});

/** Resolves when the run has started this step. */
async function untilRunning(all: Awaited<ReturnType<typeof gitScene>>, step: number) {
  const log = ".raymond/runs/one/events.jsonl";
  await all.project.fileWith(log, (text) => text.includes(`"process":${String(step)},"attempt"`));
  return stateOf(all, "one");
}

describe("raymond rerun --files", () => {
  it("starts in a new worktree with the files before the step", async () => {
    const all = await gitScene(WORK, [
      ...WRITES,
      { match: "another", write: { "second.txt": "2\n" }, say: "<result>again</result>" },
    ]);
    const { raymond, git } = all;
    await raymond("w --run-id one");
    const before = git("status", "--porcelain");

    const done = await raymond("rerun one NEXT --files --run-id two");

    expect(done.exitCode).toBe(0);
    expect(git("status", "--porcelain")).toBe(before);
    expect(git("show", "raymond/two:new.txt")).toBe("new");
    expect(git("show", "raymond/two:second.txt")).toBe("2");
    expect(git("show", "raymond/two:notes.txt")).toBe("one\ntwo");
  });

  it("copies the files of workflow.yaml and runs its setup before the step", async () => {
    const { raymond, git, project } = await gitScene({
      ".gitignore": ".raymond/\n.env.local\ndeps\n",
      "w/workflow.yaml": "worktree: { setup: SETUP, copy: [.env.local] }\n",
      "w/START.sh": "echo first >first\necho '<goto>NEXT</goto>'\n",
      "w/NEXT.sh": "cat deps first >seen\necho '<result>x</result>'\n",
      "w/SETUP.sh": "cat .env.local >deps\n",
    });
    await project.write(".env.local", "secret\n");
    await project.write("deps", "of the checkout\n");
    await raymond("w --run-id one --snapshots all");

    const done = await raymond("rerun one NEXT --files --run-id two");

    expect(done.exitCode).toBe(0);
    expect(git("show", "raymond/two:seen")).toBe("secret\nfirst");
    expect(await project.read("deps")).toBe("of the checkout\n");
  });
});
