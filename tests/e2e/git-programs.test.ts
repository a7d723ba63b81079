import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { gitScene } from "./git-scene.ts";

type All = Awaited<ReturnType<typeof gitScene>>;

/** Settings of a repository that make some command of git start a program. `P`: the program. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "P",
  "core.sshCommand": "P",
  "core.gitProxy": "P",
  "core.askPass": "P",
  "core.editor": "P",
  "core.pager": "P",
  "core.alternateRefsCommand": "P",
  "credential.helper": "!P",
  "diff.external": "P",
  "diff.evil.command": "P",
  "diff.evil.textconv": "P",
  "filter.evil.clean": "P",
  "filter.evil.smudge": "P",
  "filter.other.process": "P",
  "merge.evil.driver": "P",
  "merge.default": "evil",
  "gpg.program": "P",
  "commit.gpgSign": "true",
  "merge.verifySignatures": "true",
  "log.showSignature": "true",
  "pager.diff": "P",
  "pager.log": "P",
  "sequence.editor": "P",
  "interactive.diffFilter": "P",
  "alias.merge": "!P",
  "alias.raymond": "!P",
  "remote.origin.url": "/tmp",
  "remote.origin.promisor": "true",
  "remote.origin.uploadpack": "P;false",
  "remote.other.vcs": "evil",
  "protocol.ext.allow": "always",
  "protocol.file.allow": "always",
  "extensions.partialClone": "origin",
  "extensions.worktreeConfig": "true",
  "core.repositoryformatversion": "1",
  "submodule.recurse": "true",
  "hook.evil.command": "P",
  "hook.evil.event": "reference-transaction",
};

/** An object that the repository lacks: a partial clone fetches it. */
const MISSING = "1234567890123456789012345678901234567890";

const HOOKS = [
  ...["applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit"],
  ...["post-index-change", "post-merge", "post-rewrite", "pre-auto-gc", "pre-commit"],
  ...["pre-merge-commit", "prepare-commit-msg", "reference-transaction", "update"],
];

/** Makes git start programs wherever its documentation lets a repository name one. Returns the started ones. */
async function hostileGit({ project, git }: All) {
  const place = (...names: readonly string[]) => path.join(project.dir, ...names);
  const started = path.join(path.dirname(project.dir), `started-${path.basename(project.dir)}`);
  await mkdir(started);
  const program = async (name: string) => {
    const file = place(".git", `program-${name.replace(/\W/g, "-")}`);
    await writeFile(file, `#!/bin/sh\ntouch '${started}/${name}'\nexit 1\n`);
    await chmod(file, 0o755);
    return file;
  };
  git("update-index", "--add", "--cacheinfo", `100644,${MISSING},missing.txt`);
  git("update-index", "--skip-worktree", "missing.txt");
  const lines: string[] = [];
  for (const [key, value] of Object.entries(PROGRAMS)) {
    const [section = "", ...rest] = key.split(".");
    const name = rest.at(-1) ?? "";
    const sub = rest.length > 1 ? ` "${rest[0] ?? ""}"` : "";
    const text = value.includes("P") ? value.replace("P", await program(key)) : value;
    lines.push(`[${section}${sub}]\n\t${name} = "${text}"`);
  }
  await mkdir(place(".git", "hooks"), { recursive: true });
  await mkdir(place(".git", "other-hooks"), { recursive: true });
  for (const hook of HOOKS) {
    const file = await program(hook);
    await rm(place(".git", "hooks", hook), { force: true });
    await symlink(file, place(".git", "hooks", hook));
  }
  await mkdir(place(".git", "info"), { recursive: true });
  await writeFile(
    place(".git", "info", "attributes"),
    "* filter=evil diff=evil merge=evil\nnew* filter=other\n",
  );
  await writeFile(place(".git", "included"), lines.join("\n"));
  await writeFile(place(".git", "config.worktree"), lines.join("\n"));
  const include = `[include]\n\tpath = ${place(".git", "included")}\n`;
  await writeFile(
    place(".git", "config"),
    `[core]\n\tbare = false\n${lines.join("\n")}\n${include}`,
  );
  return { started: () => readdir(started) };
}

const FILES = {
  "notes.txt": "one\ntwo\nthree\n",
  "w/START.sh": "echo more >>notes.txt\necho new >new.txt\necho '<goto>NEXT</goto>'\n",
  "w/NEXT.sh": "echo last >last.txt\necho '<result>done</result>'\n",
  "f/START.sh":
    'echo \'<fork worktree="left" n="1">WORK</fork>\'\necho \'<fork worktree="right" n="2">WORK</fork>\'\necho \'<join>MERGE</join>\'\n',
  "f/WORK.sh": 'echo "$n" >notes.txt\necho "<result>ok</result>"\n',
  "f/MERGE.sh": "echo '<result>merged</result>'\n",
};

describe("programs that the git directory of a stranger names", () => {
  it("are not started by a run with snapshots, and by the commands that read them", async () => {
    const all = await gitScene(FILES);
    const { raymond, project } = all;
    const { started } = await hostileGit(all);

    const run = await raymond("w --run-id one --snapshots all");

    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain("changed 2 files");
    const diff = await raymond("diff one");
    expect(diff.stdout).toContain("+more");
    await project.write("notes.txt", "mine\n");
    const restored = await raymond("restore one 1 --yes");
    expect(restored.exitCode, restored.stderr).toBe(0);
    expect(await project.read("notes.txt")).toBe("one\ntwo\nthree\nmore\n");
    expect((await raymond("show one 1")).exitCode).toBe(0);
    expect((await raymond("report one")).exitCode).toBe(0);
    expect((await raymond("rerun one 2 --files")).exitCode).toBe(0);
    expect((await raymond("doctor")).stdout).toContain("git");
    expect((await raymond("prune --all --yes")).exitCode).toBe(0);
    expect(await started()).toEqual([]);
  });

  it("are not started by worktrees of a run, of agents, and by merges", async () => {
    const all = await gitScene(FILES);
    const { raymond, project } = all;
    const { started } = await hostileGit(all);

    const run = await raymond("w --worktree --run-id one");

    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toMatch(/uncommitted|branch raymond\/one/);
    const forked = await raymond("f --run-id two");
    expect(forked.exitCode, forked.stderr).toBe(0);
    await raymond("status two");
    await project.write("uncommitted.txt", "x\n");
    await raymond("merge raymond/left --commit-changes");
    await raymond("merge raymond/right");
    await project.write("notes.txt", "resolved\n");
    await raymond("merge --continue");
    await raymond("prune --all --yes");
    expect(await started()).toEqual([]);
  });

  it("are started by git itself, so that these tests would see them", async () => {
    const all = await gitScene(FILES);
    const { started } = await hostileGit(all);
    await all.bash(
      `echo x >>notes.txt; echo x >new.txt; git status; git diff; git add new.txt; git cat-file -e ${MISSING}; git commit -am x`,
    );

    const names = [
      "core.fsmonitor",
      "diff.evil.command",
      "filter.evil.clean",
      "filter.other.process",
      "remote.origin.uploadpack",
    ];
    expect(await started()).toEqual(expect.arrayContaining(names));
  });
});

describe("a git directory that a step has replaced", () => {
  it.each([
    [
      "by commondir",
      "mkdir .git/other && cp -r .git/refs .git/objects .git/config .git/other && echo other >.git/commondir",
    ],
    ["by another one", "mv .git old && cp -r old .git"],
    ["by a link to another one", "mv .git old && ln -s old .git"],
    ["by a file", "mv .git old && echo 'gitdir: old' >.git"],
    [
      "by a link of its refs",
      "cp -r .git/refs ../refs && rm -r .git/refs && ln -s ../../refs .git/refs",
    ],
    ["by the repository around it", "git init -q .. && rm -rf .git"],
  ])("%s is not used, with a warning", async (_, replace) => {
    const { raymond, bash } = await gitScene({
      "w/START.sh": `${replace}\necho '<goto>NEXT</goto>'\n`,
      "w/NEXT.sh": "echo '<result>done</result>'\n",
    });

    const run = await raymond("w --run-id one --snapshots all");

    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain(
      ".git no longer names the git directory that the run started with",
    );
    const found = await bash("find .. -path '*refs/raymond/one*' -type f -newer w/NEXT.sh");
    // Only the snapshot before the step.
    expect(found.stdout.split("\n").filter((line) => line !== "").length).toBeLessThan(3);
  });

  it("gets no commit of an agent whose worktree names it", async () => {
    const all = await gitScene({
      "f/START.sh": "echo '<fork worktree=\"left\">WORK</fork>'\necho '<join>MERGE</join>'\n",
      "f/WORK.sh":
        "p=$(git rev-parse --git-common-dir); echo \"gitdir: $p\" >.git; echo x >new.txt; echo '<result>ok</result>'\n",
      "f/MERGE.sh": "echo '<result>merged</result>'\n",
    });
    const before = all.git("rev-parse", "main");

    await all.raymond("f --run-id one");

    expect(await all.project.read(".raymond/workflows/one.json")).toContain(
      "no longer names the git directory",
    );
    expect(all.git("rev-parse", "main")).toBe(before);
    expect(all.git("status", "--porcelain")).toBe("");
  });
});
