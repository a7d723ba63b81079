import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentWorktrees } from "../../src/workspaces/agent-worktrees.ts";
import { contentOf, testGit, workingTree } from "../support/git/working-tree.ts";

type Tree = Awaited<ReturnType<typeof workingTree>>;

/** The worktrees of a run in a repository. */
function agentsIn({ folder, top }: Pick<Tree, "folder" | "top">, run = "one") {
  const own = path.join(folder, `own-${run}`);
  const worktrees = new AgentWorktrees({
    ...{ git: testGit, folder: own, stateFolder: path.join(folder, "state"), without: [] },
  });
  /** Starts an agent from the files of a folder. */
  const start = async (agent: string, from = top, branch = `raymond/${run}-${agent}`) => {
    const { place } = await worktrees.place(run, from, [from]);
    const { repository, parent, base, origin, copy } = place;
    const at = path.join(parent, `${run}-${agent}`);
    const worktree = { agent, folder: at, branch, base, repository, origin, copy };
    await worktrees.ensure(run, worktree, at);
    return { ...worktree, end: { ok: true, result: "" } as const };
  };
  return {
    worktrees,
    start,
    end: (worktree: Awaited<ReturnType<typeof start>>) => worktrees.end(run, worktree),
  };
}

/** How repositories are, and what the file `a.txt` of a new agent then contains. */
const CASES: readonly (readonly [string, (tree: Tree) => Promise<unknown>, string?])[] = [
  ["a clean checkout", () => Promise.resolve()],
  [
    "a dirty checkout with a staged file",
    async ({ git, write }) => {
      await write("a.txt", "staged\n");
      await git("add", "a.txt");
      await write("a.txt", "dirty\n");
    },
    "dirty\n",
  ],
  ["a detached HEAD", ({ git }) => git("checkout", "--quiet", "--detach")],
  [
    "a sparse checkout",
    async ({ git, write }) => {
      await write("other/b.txt", "b\n");
      await git("add", "--all");
      await git("commit", "--quiet", "-m", "second");
      await git("sparse-checkout", "set", "nothing");
    },
  ],
  ["core.autocrlf", ({ git }) => git("config", "core.autocrlf", "true"), "a\r\n"],
  [
    "hooks and signing",
    async ({ git, top }) => {
      await git("config", "commit.gpgSign", "true");
      await git("config", "core.hooksPath", top);
      for (const hook of ["post-checkout", "pre-commit", "reference-transaction"]) {
        await writeFile(path.join(top, hook), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      }
    },
  ],
  [
    "a submodule and a nested repository",
    async ({ git, top, folder }) => {
      const other = path.join(folder, "other");
      await mkdir(other);
      await git("-C", other, "init", "--quiet");
      await git("-C", other, "commit", "--quiet", "--allow-empty", "-m", "first");
      await git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
      await git("commit", "--quiet", "-m", "second");
      await git("-C", top, "clone", "--quiet", other, "nested");
    },
  ],
  ["a file over the limit of snapshots", ({ write }) => write("large", Buffer.alloc(11 << 20))],
];

const ROWS = CASES.map(([name, prepare, a = "a\n"]) => [name, prepare, a] as const);

describe("the worktree of an agent", () => {
  it.each(ROWS)("has the files of %s, whose own state stays the same", async (_, prepare, a) => {
    const tree = await workingTree({ "a.txt": "a\n" });
    await prepare(tree);
    const { top, git } = tree;
    const { start, end } = agentsIn(tree);
    const state = async () => [await git("status", "--porcelain"), await contentOf(top)];
    const before = await state();

    const agent = await start("main_a1");
    expect(await readFile(path.join(agent.folder, "a.txt"), "utf8")).toBe(a);
    await writeFile(path.join(agent.folder, "new"), "new\n");
    expect(await end(agent)).toEqual({ branch: agent.branch, kept: null });

    expect(await git("diff", "--name-only", agent.base, agent.branch)).toBe("new");
    expect(await state()).toEqual(before);
    expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
  });

  it("keeps commits that a user makes and rebases in it meanwhile", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { git } = tree;
    const { start, end } = agentsIn(tree);
    const agent = await start("main_a1");
    await writeFile(path.join(agent.folder, "mine"), "by the user\n");
    await git("-C", agent.folder, "add", "mine");
    await git("-C", agent.folder, "commit", "--quiet", "-m", "by the user");
    await git("commit", "--quiet", "--allow-empty", "-m", "meanwhile");
    await git("-C", agent.folder, "rebase", "--quiet", "main");
    await writeFile(path.join(agent.folder, "new"), "new\n");

    expect(await end(agent)).toEqual({ branch: agent.branch, kept: null });

    const subjects = (await git("log", "--format=%s", agent.branch)).split("\n");
    expect(subjects.slice(1)).toEqual(["by the user", "meanwhile", "first"]);
    expect(await git("diff", "--name-only", "main", agent.branch)).toBe("mine\nnew");
  });

  it("keeps its files if its repository cannot store them", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { start, end } = agentsIn(tree);
    const agent = await start("main_a1");
    await writeFile(path.join(agent.folder, "new"), "new\n");
    await rename(path.join(tree.top, ".git"), path.join(tree.folder, "moved"));

    const unsaved = await end(agent);
    expect(unsaved.branch).toBe(agent.branch);
    expect(unsaved.kept).not.toBeNull();

    expect(await readFile(path.join(agent.folder, "new"), "utf8")).toBe("new\n");
    await rename(path.join(tree.folder, "moved"), path.join(tree.top, ".git"));
    expect(await end(agent)).toEqual({ branch: agent.branch, kept: null });
    expect(await tree.git("show", `${agent.branch}:new`)).toBe("new");
  });

  it("cannot start without a commit, outside of a working tree, or on a branch that exists", async () => {
    const unborn = await workingTree(null);
    const tree = await workingTree({ "a.txt": "a\n" });
    await tree.git("clone", "--quiet", "--bare", ".", path.join(tree.folder, "bare.git"));
    await tree.git("branch", "raymond/mine");
    const { start } = agentsIn(tree);

    await expect(agentsIn(unborn).start("main_a1")).rejects.toThrow("has no commit yet");
    await expect(start("main_a1", path.join(tree.folder, "bare.git"))).rejects.toThrow(
      "is not in a git repository",
    );
    await expect(start("main_a1", tree.top, "raymond/mine")).rejects.toThrow("exists already");
    expect((await tree.git("worktree", "list")).split("\n")).toHaveLength(1);
  });

  it("keeps commits of the agent, and a branch that a user has moved or deleted meanwhile", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { git } = tree;
    const { start, end } = agentsIn(tree);
    const [commits, deleted, idle] = [
      await start("main_a1"),
      await start("main_b2"),
      await start("main_c3"),
    ];
    await writeFile(path.join(commits.folder, "one"), "1");
    await git("-C", commits.folder, "add", "one");
    await git("-C", commits.folder, "commit", "--quiet", "-m", "by the agent");
    await writeFile(path.join(deleted.folder, "two"), "2");
    await git("update-ref", "-d", `refs/heads/${deleted.branch}`);
    await git("commit", "--quiet", "--allow-empty", "-m", "moved");
    await git("update-ref", `refs/heads/${idle.branch}`, "main");

    expect(await end(commits)).toEqual({ branch: commits.branch, kept: null });
    expect(await end(deleted)).toEqual({ branch: deleted.branch, kept: null });
    expect((await end(idle)).branch).toBe(idle.branch);
    expect(await git("show", `${deleted.branch}:two`)).toBe("2");
    expect(await git("log", "-1", "--format=%s", commits.branch)).toBe("by the agent");
  });

  it("reports a failure of git as the reason why it remains", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const { start, end } = agentsIn(tree);
    const agent = await start("main_a1");
    await writeFile(path.join(agent.folder, "new"), "new\n");
    const lock = path.join(tree.top, ".git", "refs", "heads", `${agent.branch}.lock`);
    await writeFile(lock, "");

    const { kept } = await end(agent);
    await rm(lock);

    expect(kept).toContain(".lock");
    expect(await readFile(path.join(agent.folder, "new"), "utf8")).toBe("new\n");
    expect(await end(agent)).toEqual({ branch: agent.branch, kept: null });
  });

  it("does not disturb other agents: 50 of them, of two runs at once", async () => {
    const tree = await workingTree({ "a.txt": "a\n" });
    const runs = [agentsIn(tree, "one"), agentsIn(tree, "two")];
    const done = await Promise.all(
      runs.map(async ({ start, end }) => {
        const branches: (string | null)[] = [];
        const agents = await Promise.all(
          Array.from({ length: 25 }, (_, at) => start(`main_a${String(at + 1)}`)),
        );
        for (const agent of agents) {
          await writeFile(path.join(agent.folder, "mine"), agent.folder);
          branches.push((await end(agent)).branch);
        }
        return branches;
      }),
    );

    expect(new Set(done.flat()).size).toBe(50);
    expect((await tree.git("branch", "--list", "raymond/*")).split("\n")).toHaveLength(50);
    expect((await tree.git("worktree", "list")).split("\n")).toHaveLength(1);
  }, 300_000);
});

it("has the files of the forking agent, and its branch has its own files, whatever agents change", async () => {
  const anyEdits = fc.array(
    fc.record({
      file: fc.constantFrom("a.txt", "b", "d/c", "d/e f", "ü", "-n"),
      text: fc.constantFrom(null, "", "one\n", "two\r\n", "\0binary"),
      mode: fc.constantFrom(0o644, 0o755),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const edit = async (
    top: string,
    edits: typeof anyEdits extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    for (const { file, text, mode } of edits) {
      const place = path.join(top, file);
      await mkdir(path.dirname(place), { recursive: true });
      if (text === null) await rm(place, { force: true });
      else {
        await writeFile(place, text);
        await chmod(place, mode);
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(anyEdits, { minLength: 2, maxLength: 4 }), async (agents) => {
      const tree = await workingTree({ "a.txt": "first\n" });
      const { start, end } = agentsIn(tree);
      let from = tree.top;
      const ends: Awaited<ReturnType<typeof start>>[] = [];
      for (const [at, edits] of agents.entries()) {
        await edit(from, edits);
        const worktree = await start(`main_a${String(at + 1)}`, from);
        expect(await contentOf(worktree.folder)).toEqual(await contentOf(from));
        await edit(worktree.folder, edits.toReversed());
        ends.push(worktree);
        from = worktree.folder;
      }
      for (const worktree of ends) {
        const content = await contentOf(worktree.folder);
        await end(worktree);
        const copy = path.join(tree.folder, `check-${path.basename(worktree.folder)}`);
        // A branch without changes is gone, and its base has the files.
        const tip = await tree
          .git("rev-parse", "--verify", worktree.branch)
          .catch(() => worktree.base);
        await tree.git("worktree", "add", "--quiet", "--detach", copy, tip);
        expect(await contentOf(copy)).toEqual(content);
      }
    }),
    { numRuns: process.env["CI"] ? 20 : 4 },
  );
}, 120_000);
