import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Clones } from "../../../src/fleet/git/clones.ts";
import type { Snapshot } from "../../../src/fleet/store/rows/placement.ts";
import { folderMaker } from "../../../src/fleet/worker/step-user.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { systemClock } from "../../../src/wire/system/system.ts";
import { gitBy } from "../../../src/workspaces/git.ts";
import { agent, running } from "../../support/agents.ts";
import { ALONE, testRepository } from "../../support/fleet/repository.ts";
import { tempFolder } from "../../support/folders.ts";
import { run } from "../../support/runs.ts";

const ID = run().id;
const REF = `refs/raymond/${ID}`;

/** A run of one agent in its n-th attempt, whose files are in a remote. */
async function world() {
  const folder = await tempFolder();
  const repository = await testRepository(folder, {
    ".gitignore": "*.tmp\n",
    "README.md": "read me\n",
    "app/main.txt": "main\n",
  });
  const { remote, git } = repository;
  const workspace = {
    ...({ kind: "git", repository: remote, subfolder: "app" } as const),
    commit: await git("rev-parse", "HEAD"),
  };
  const logged: string[] = [];

  /** Claims the run on a machine, as its last holder left it. */
  async function claimed(
    machine: string,
    epoch: number,
    from: {
      readonly run?: RunState;
      readonly home?: string;
      readonly snapshot?: Snapshot | null;
      readonly commit?: string;
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ) {
    const clones = new Clones({
      ...{
        machine,
        folder: path.join(folder, machine),
        clock: { ...systemClock, sleep: () => Promise.resolve() },
      },
      git: gitBy(startProcess, { ...ALONE, ...from.env }),
      makeFolder: folderMaker(null, startProcess),
      log: (line) => logged.push(line),
    });
    const saved: { readonly run: RunState; readonly snapshot: Snapshot | null }[] = [];
    const store = {
      save: (next: RunState) => {
        saved.push({ run: next, snapshot: clones.snapshotOf(ID) });
        return Promise.resolve();
      },
    };
    const { run: before = run(), home = null, snapshot = null } = from;
    const begins = { ...workspace, commit: from.commit ?? workspace.commit };
    const settled = await clones.open(before, begins, { home, snapshot }, { store, epoch });
    const { launchDir } = settled.run;
    const save = async (next: RunState) => {
      await settled.store.save(next);
      return saved.at(-1)?.snapshot ?? null;
    };
    let latest = settled.run;
    return {
      ...settled,
      launchDir,
      read: (file: string) => readFile(path.join(launchDir, file), "utf8"),
      write: (file: string, text: string) => writeFile(path.join(launchDir, file), text),
      /** One attempt, whose script this is; resolves with what was saved with its end. */
      step: async (script: () => Promise<unknown>, cwd: string | null = null) => {
        const process = latest.processes + 1;
        const started = { ...latest, processes: process };
        await save({ ...started, agents: [agent({ cwd, activity: running({ process }) })] });
        await script();
        latest = { ...started, agents: [agent({ cwd })], saves: latest.saves + 2 };
        return save(latest);
      },
      latest: () => latest,
    };
  }
  return { ...repository, folder, claimed, logged };
}

describe("the files of a run in a git workspace", () => {
  it("are those of its commit, in the folder of the submission", async () => {
    const { claimed, git, remote } = await world();

    const { launchDir, read } = await claimed("m1", 1);

    expect(path.basename(launchDir)).toBe("app");
    expect(await read("main.txt")).toBe("main\n");
    expect(await read("../README.md")).toBe("read me\n");
    expect(await git("-C", launchDir, "remote", "get-url", "origin")).toBe(remote);
    expect(await git("-C", launchDir, "status", "--porcelain")).toBe("");
  });

  it("are pushed before the state that refers to them is saved, without touching index, branch and hooks", async () => {
    const { claimed, inRemote, git, folder } = await world();
    const m1 = await claimed("m1", 7);
    await git("-C", m1.launchDir, "checkout", "--quiet", "-b", "work");
    const hooks = path.join(m1.launchDir, "../.git/hooks");
    await mkdir(hooks, { recursive: true });
    const ran = path.join(folder, "ran");
    for (const hook of ["pre-commit", "pre-push", "post-checkout", "post-index-change"]) {
      await writeFile(path.join(hooks, hook), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
    }

    const snapshot = await m1.step(async () => {
      await m1.write("new.txt", "new\n");
      await m1.write("ignored.tmp", "ignored\n");
      await rm(path.join(m1.launchDir, "../README.md"));
    });

    const commit = snapshot?.commit ?? "";
    expect(snapshot?.behind).toBeNull();
    expect(await inRemote("rev-parse", `${REF}/7`, `${REF}/main`)).toBe(`${commit}\n${commit}`);
    expect(await inRemote("ls-tree", "-r", "--name-only", commit)).toBe(
      ".gitignore\napp/main.txt\napp/new.txt",
    );
    expect(await inRemote("for-each-ref", "--format=%(refname)", "refs/heads")).toBe(
      "refs/heads/main",
    );
    expect(await readdir(folder)).not.toContain("ran");
    expect(await git("-C", m1.launchDir, "status", "--porcelain", "--branch")).toBe(
      "## work\n D README.md\n?? app/new.txt",
    );
  });

  it("push nothing after a step without changes", async () => {
    const { claimed, inRemote } = await world();
    const m1 = await claimed("m1", 1);

    await m1.step(() => Promise.resolve());
    expect(await inRemote("for-each-ref", REF)).toBe("");
    const made = await m1.step(() => m1.write("new.txt", "new\n"));
    const same = await m1.step(() => Promise.resolve());

    expect(same).toEqual(made);
  });

  it("are restored on another machine as recorded: with commits, without half-done work, in the same folder", async () => {
    const { claimed, git } = await world();
    const m1 = await claimed("m1", 1);
    const inClone = (...args: readonly string[]) => git("-C", m1.launchDir, ...args);
    await m1.step(async () => {
      await inClone("checkout", "--quiet", "-b", "work");
      await m1.write("committed.txt", "committed\n");
      await inClone("add", "committed.txt");
      await inClone("commit", "--quiet", "--message", "by hand");
      await m1.write("not-committed.txt", "not committed\n");
    });
    const deep = path.join(m1.launchDir, "made");
    const snapshot = await m1.step(() => mkdir(deep), deep);
    await m1.write("half.txt", "half\n");

    const m2 = await claimed("m2", 2, { run: m1.latest(), home: "m1", snapshot });

    expect((await readdir(m2.launchDir)).sort()).toEqual([
      ...["committed.txt", "made", "main.txt", "not-committed.txt"],
    ]);
    expect(m2.run.agents[0]?.cwd).toBe(path.join(m2.launchDir, "made"));
    expect(await git("-C", m2.launchDir, "log", "-1", "--format=%s %D")).toContain(
      "by hand HEAD -> work",
    );
    expect(await git("-C", m2.launchDir, "status", "--porcelain")).toBe("?? app/not-committed.txt");
  });

  it("are not affected by a late push of another machine", async () => {
    const { claimed, inRemote } = await world();
    const m1 = await claimed("m1", 1);
    const snapshot = await m1.step(() => m1.write("a.txt", "recorded\n"));
    const m2 = await claimed("m2", 2, { run: m1.latest(), home: "m1", snapshot });
    const newer = await m2.step(() => m2.write("a.txt", "newer\n"));

    await m1.step(() => m1.write("a.txt", "stale\n"));
    const m3 = await claimed("m3", 3, { run: m2.latest(), home: "m2", snapshot: newer });

    expect(await m3.read("a.txt")).toBe("newer\n");
    expect(await inRemote("rev-parse", `${REF}/2`)).toBe(newer?.commit);
  });

  it("are only on its home while the remote is away: the run continues there and cannot move", async () => {
    const { claimed, logged, remote } = await world();
    const m1 = await claimed("m1", 1);
    await rename(remote, `${remote}.away`);

    const behind = await m1.step(() => m1.write("a.txt", "a\n"));

    expect(behind?.behind).toContain("git push failed");
    expect(logged).toEqual([expect.stringContaining("its files are only in")]);
    const from = { run: m1.latest(), home: "m1", snapshot: behind };
    await expect(claimed("m2", 2, from)).rejects.toMatchObject({ code: "fleet/files-left-behind" });
    const again = await claimed("m1", 3, from);
    expect(await again.read("a.txt")).toBe("a\n");
    await rename(`${remote}.away`, remote);
    const caughtUp = await again.step(() => Promise.resolve());
    expect(caughtUp).toEqual({ commit: behind?.commit, behind: null });
    expect(logged.at(-1)).toContain("at the remote again");
    const there = await claimed("m2", 4, { run: again.latest(), home: "m1", snapshot: caughtUp });
    expect(await there.read("a.txt")).toBe("a\n");
  });

  it("travel without a nested repository that has no commit, on which git fails", async () => {
    const { claimed, inRemote, git } = await world();
    const m1 = await claimed("m1", 1);

    const snapshot = await m1.step(async () => {
      for (const name of ["made", "odd 'name'"]) {
        await git("init", "--quiet", path.join(m1.launchDir, name));
        await writeFile(path.join(m1.launchDir, name, "in.txt"), "in\n");
      }
      await m1.write("beside.txt", "beside\n");
    });

    expect(snapshot?.behind).toBeNull();
    const files = await inRemote("ls-tree", "-r", "--name-only", `${REF}/main`);
    expect(files.split("\n")).toEqual([
      ".gitignore",
      "README.md",
      "app/beside.txt",
      "app/main.txt",
    ]);
  });

  it("report a filter of theirs that is not installed, by its name", async () => {
    const { claimed, write, commit, git, folder } = await world();
    await write(".gitattributes", "*.bin filter=big\n");
    await write("a.bin", "a pointer\n");
    const at = await commit("with a filter");
    await git("push", "--quiet", "origin", "main");
    const settings = path.join(folder, "gitconfig");
    await writeFile(
      settings,
      '[filter "big"]\n  process = no-such-filter --on\n  required = true\n',
    );

    await expect(
      claimed("m1", 1, { commit: at, env: { GIT_CONFIG_GLOBAL: settings } }),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/no-such-filter: .*not found/) as string,
      hint: expect.stringContaining("Install the missing program on every machine") as string,
    });
  });

  it("are never read from a repository around the clone", async () => {
    const { claimed, git, folder } = await world();
    await git("-C", folder, "init", "--quiet");
    const m1 = await claimed("m1", 1);

    const snapshot = await m1.step(async () => {
      await rm(path.join(m1.launchDir, "../.git"), { recursive: true });
      await m1.write("a.txt", "a\n");
    });

    expect(snapshot?.behind).toContain("git");
    expect(await git("-C", folder, "status", "--porcelain", "--untracked-files=no")).toBe("");
  });

  it("are not available if the remote is gone or lacks the commit", async () => {
    const { claimed, remote, folder } = await world();
    const snapshot = { commit: "1234567890".repeat(4), behind: null };
    await expect(claimed("m1", 1, { snapshot })).rejects.toMatchObject({
      code: "fleet/no-such-commit",
    });
    await rename(remote, path.join(folder, "elsewhere"));

    await expect(claimed("m2", 1)).rejects.toMatchObject({ code: "fleet/remote-refused" });
  });
});
