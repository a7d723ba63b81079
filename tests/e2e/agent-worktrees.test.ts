import { existsSync } from "node:fs";
import { rm, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { gitScene } from "./git-scene.ts";
import { refusal, waitForFile } from "./scene.ts";

type All = Awaited<ReturnType<typeof gitScene>>;

/** The branch of each worker as its parent gets it. */
const MERGE = {
  "w/MERGE.sh": `node -e '
const all = JSON.parse(process.env.RAYMOND_RESULT).map((each) => each.branch);
console.log("<result>" + all.join(" ") + "</result>")'`,
};

const forks = (...tags: readonly string[]) =>
  `${tags.map((tag) => `echo '${tag}'`).join("\n")}\necho '<join>MERGE</join>'\n`;

interface Status {
  readonly status: string;
  readonly kept?: readonly { readonly branch: string; readonly folder: string; reason: string }[];
  readonly agents: readonly { readonly worktree?: { readonly folder: string } }[];
}

async function stateOf({ project }: All): Promise<Status> {
  return JSON.parse(await project.read(".raymond/workflows/one.json")) as Status;
}

function worktrees({ git }: All): number {
  return git("worktree", "list").split("\n").length;
}

describe("<fork worktree>", () => {
  it("gives each agent the files of its parent and a branch, and the join passes the branches", async () => {
    const all = await gitScene({
      ...MERGE,
      "notes.txt": "one\n",
      "w/START.sh": `echo uncommitted >>notes.txt\necho new >new.txt\nmkdir -p sub\necho in >sub/in\n${forks(
        '<fork worktree="left" n="1">WORK</fork>',
        '<fork worktree="true" cd="sub" n="2">WORK</fork>',
        '<fork worktree="true" n="3">IDLE</fork>',
        '<fork worktree="false" n="4">IDLE</fork>',
      )}`,
      "w/WORK.sh": 'echo "$n" >mine\ncat mine\necho "<result>$(pwd)</result>"\n',
      "w/IDLE.sh": "echo '<result>idle</result>'\n",
    });
    const { raymond, git } = all;

    const done = await raymond("w --run-id one");

    expect(done.stdout.trim()).toBe("raymond/left raymond/one-main_work2");
    expect(git("show", "raymond/left:mine")).toBe("1");
    expect(git("show", "raymond/left:notes.txt")).toBe("one\nuncommitted");
    expect(git("show", "raymond/one-main_work2:sub/mine")).toBe("2");
    expect(git("status", "--porcelain")).toBe("M notes.txt\n?? new.txt\n?? sub/");
    expect(git("log", "--oneline", "main")).not.toContain("raymond");
    // The uncommitted files of the parent are one commit.
    expect(git("merge-base", "raymond/left", "raymond/one-main_work2")).toBe(
      git("rev-parse", "raymond/left^"),
    );
    expect(worktrees(all)).toBe(1);
    expect(git("branch", "--list", "raymond/*").split("\n")).toHaveLength(2);
  });

  it("is the default of a rule, with values of the step, and of workflow.yaml", async () => {
    const rule = '{ tag: fork, target: WORK, next: MERGED, worktree: "fix-{{item}}" }';
    const files = {
      "w/workflow.yaml": "worktree: true\n",
      "w/START.sh": 'echo \'<fork next="REST" item="x">ASK</fork>\'\n',
      "w/REST.sh": "echo '<join>MERGE</join>'\n",
      ...MERGE,
      "w/ASK.md": `---\nallowed_transitions: [${rule}]\n---\nFork it.\n`,
      "w/MERGED.sh": "echo asked >asked\necho '<join>MERGE</join>'\n",
      "w/WORK.sh": "echo x >x\necho '<result>x</result>'\n",
    };
    const all = await gitScene(files, [{ say: '<fork next="MERGED">WORK</fork>' }]);

    const done = await all.raymond("w --run-id one");

    expect(done.stdout.trim()).toBe("raymond/one-main_ask1");
    expect(all.git("show", "raymond/fix-x:x")).toBe("x");
    expect(all.git("show", "raymond/one-main_ask1:asked")).toBe("asked");
  });

  it("reminds a model of names that are no branch or that exist", async () => {
    const all = await gitScene(
      {
        ...MERGE,
        "w/START.md": "---\nallowed_transitions: [{ tag: fork }]\n---\nFork it.\n",
        "w/REST.sh": "echo '<join>MERGE</join>'\n",
        "w/WORK.sh": "echo x >x\necho '<result>x</result>'\n",
      },
      [
        { say: '<fork next="REST" worktree="../../main">WORK</fork>' },
        { say: '<fork next="REST" worktree="--force">WORK</fork>' },
        { say: '<fork next="REST" worktree="taken">WORK</fork>' },
        { say: '<fork next="REST" worktree="free">WORK</fork>' },
      ],
    );
    all.git("branch", "raymond/taken");

    const done = await all.raymond("w --run-id one");

    expect(done.stdout.trim()).toBe("raymond/free");
    expect(done.stderr).toContain("must be true, false, or a name of up to 60");
    expect(done.stderr).toContain("The branch raymond/taken exists already.");
  });

  it("fails with the reason outside of git, without a commit, for two agents on one branch, and for changed LFS files", async () => {
    const twice = forks('<fork worktree="x">WORK</fork>', '<fork worktree="x">WORK</fork>');
    const all = await gitScene({
      ...MERGE,
      "w/START.sh": '[ -n "$SETUP" ] && eval "$SETUP"\necho "<goto>$NEXT</goto>"\n',
      "w/TWICE.sh": twice,
      "w/ONCE.sh": forks('<fork worktree="x">WORK</fork>'),
      "w/WORK.sh": "echo '<result>x</result>'\n",
    });
    const { raymond, git, project } = all;
    const failing = async (next: string, setup = "true") => {
      const done = await raymond(["w", "--var", `NEXT=${next}`, "--var", `SETUP=${setup}`]);
      expect(done.exitCode).toBe(1);
      return done.stderr;
    };

    expect(await failing("TWICE")).toContain("Two agents cannot work on the branch raymond/x.");
    await project.write(".gitattributes", "*.bin filter=lfs\n");
    await project.write("a.bin", "x");
    expect(await failing("ONCE")).toContain("they use the filter lfs");
    git("checkout", "--quiet", "--orphan", "empty");
    expect(await failing("ONCE")).toContain("has no commit yet");
    await rm(path.join(project.dir, ".git"), { recursive: true });
    expect(await failing("ONCE")).toContain("is not in a git repository");
  });

  it("keeps the worktree of an agent whose files cannot be committed, and prune saves them", async () => {
    const all = await gitScene({
      ...MERGE,
      "w/START.sh": forks('<fork worktree="x">NESTED</fork>', '<fork worktree="y">OTHER</fork>'),
      "w/NESTED.sh":
        "git init --quiet inner\necho x >inner/x\necho x >x\necho '<result>x</result>'\n",
      "w/OTHER.sh": "git checkout --quiet -b own\necho y >y\necho '<result>y</result>'\n",
    });
    const { raymond, git } = all;

    const done = await raymond("w --run-id one");

    expect(done.stdout.trim()).toBe("raymond/x own");
    const { kept = [] } = await stateOf(all);
    expect(kept.map(({ reason }) => reason)).toEqual([
      "files in it are in no commit: inner/",
      "the agent works on the branch own",
    ]);
    expect(worktrees(all)).toBe(3);
    const status = await raymond("status one");
    expect(status.stdout).toContain(
      "main_nested1 on branch raymond/x, kept: files in it are in no",
    );
    await raymond("prune one --yes");
    expect(worktrees(all)).toBe(1);
    expect(git("show", "own:y")).toBe("y");
    expect(git("for-each-ref", "refs/raymond")).toBe("");
  });

  it("commits on its branch after the agent has checked out a commit", async () => {
    const all = await gitScene({
      ...MERGE,
      "w/START.sh": forks('<fork worktree="x">WORK</fork>'),
      "w/WORK.sh": "git checkout --quiet --detach\necho x >x\necho '<result>x</result>'\n",
    });

    const done = await all.raymond("w --run-id one");

    expect(done.stdout.trim()).toBe("raymond/x");
    expect(all.git("show", "raymond/x:x")).toBe("x");
    expect(worktrees(all)).toBe(1);
  });

  it("builds a deleted worktree again on resume, with its uncommitted files", async () => {
    const all = await gitScene({
      ...MERGE,
      "w/START.sh": forks('<fork worktree="x">WORK</fork>'),
      "w/WORK.sh": "echo kept >kept\necho '<goto>WAIT</goto>'\n",
      "w/WAIT.sh": waitForFile('"$HOME/go"', "cat kept >copy\necho '<result>x</result>'"),
    });
    const { start, git, project } = all;
    const running = start("w --run-id one --snapshots all");
    await project.fileWith(".raymond/runs/one/events.jsonl", (text) =>
      text.includes('"process":3,"attempt"'),
    );
    running.kill("SIGKILL");
    await running.exit;
    const folder = (await stateOf(all)).agents.flatMap(({ worktree }) => worktree?.folder ?? [])[0];
    await rm(folder ?? "none", { recursive: true });
    await project.write(path.relative(project.dir, path.join(project.home, "go")), "");

    await start("resume one").exit;

    expect(git("show", "raymond/x:copy")).toBe("kept");
    expect(worktrees(all)).toBe(1);
  });

  it("continues a failed agent in its worktree, and prune saves its files", async () => {
    const all = await gitScene({
      ...MERGE,
      "w/START.sh": forks('<fork worktree="x">WORK</fork>'),
      "w/WORK.sh": 'echo x >>x\n[ -e "$HOME/go" ] || exit 1\necho "<result>x</result>"\n',
    });
    const { raymond, git } = all;

    await raymond("w --run-id one");
    const [worker] = (await stateOf(all)).agents.flatMap(({ worktree }) => worktree ?? []);
    await raymond("resume one");
    const again = await raymond("rerun one 2");
    await raymond("prune one --yes");

    expect(refusal(again)).toContain("agents with worktrees of their own were running");
    expect(existsSync(worker?.folder ?? "")).toBe(false);
    const saved = git("for-each-ref", "--format=%(refname)", "refs/raymond-saved");
    expect(git("show", `${saved}:x`)).toBe("x\nx");
    expect(git("branch", "--list", "raymond/*")).toBe("");
  });
});

describe("worktree of a workflow.yaml", () => {
  const PREPARED = {
    ...MERGE,
    ".gitignore": ".raymond/\n.env.local\ndeps\n",
    "w/workflow.yaml":
      "worktree: { fork: true, setup: SETUP, copy: [.env.local, none], base: main }\n",
    "w/SETUP.sh": '[ -e "$HOME/go" ] || { echo no network; exit 3; }\ncat .env.local >deps\n',
    "w/START.sh": forks('<fork input="in" on_error="stop">WORK</fork>'),
    "w/WORK.sh": "cat deps \"$RAYMOND_INPUT_FILE\" >seen\necho '<result>x</result>'\n",
  };

  it("copies files and runs the setup before the first step, again after a failure", async () => {
    const all = await gitScene(PREPARED);
    const { raymond, git, project } = all;
    await project.write(".env.local", "secret\n");

    const failed = await raymond("w --run-id one");
    await project.write(path.relative(project.dir, path.join(project.home, "go")), "");
    const done = await raymond("resume one");

    expect(failed.stderr).toContain("The set-up of the worktree failed");
    expect(failed.stderr).toContain("no network");
    expect(done.exitCode).toBe(0);
    expect(git("show", "raymond/one-main_work1:seen")).toBe("secret\nin");
    expect(git("ls-tree", "--name-only", "raymond/one-main_work1")).not.toContain(".env.local");
  });

  it("prepares the worktree of a run, which starts from the base", async () => {
    const all = await gitScene({
      ...PREPARED,
      "w/START.sh": "cp deps seen\necho '<result>x</result>'\n",
      "w/SETUP.sh": "cat .env.local >deps\n",
    });
    const { raymond, git, project } = all;
    await project.write(".env.local", "secret\n");
    git("commit", "--quiet", "--allow-empty", "-m", "second");
    git("checkout", "--quiet", "--detach", "HEAD~1");
    git("tag", "here");

    await raymond("w --worktree --run-id one");

    expect(git("show", "raymond/one:seen")).toBe("secret");
    expect(git("merge-base", "--is-ancestor", "main", "raymond/one")).toBe("");
  });

  it("refuses links, files that would be committed, an unknown base and a prompt as setup", async () => {
    const all = await gitScene({ ...PREPARED, "w/PROMPT.md": "x", tracked: "x" });
    const { raymond, project, git } = all;
    const refused = async (settings: string) => {
      await project.write("w/workflow.yaml", `worktree: ${settings}\n`);
      const done = await raymond("w --worktree");
      expect(done.exitCode).toBe(2);
      return refusal(done);
    };
    await symlink("/etc/passwd", path.join(project.dir, ".env.local"));
    await project.write("open", "x");

    expect(await refused("{ copy: [.env.local] }")).toContain("is a link, or not a file");
    expect(await refused("{ copy: [open] }")).toContain("git does not ignore it");
    expect(await refused("{ base: nowhere }")).toContain("has no commit nowhere");
    expect(await refused("{ setup: PROMPT }")).toContain("is a prompt");
    expect(await refused("{ setup: NOWHERE }")).toContain("NOWHERE");
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    expect(git("branch", "--list", "raymond/*")).toBe("");
  });
});
