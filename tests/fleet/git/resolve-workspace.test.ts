import path from "node:path";
import { describe, expect, it } from "vitest";
import { withoutSecrets } from "../../../src/fleet/git/remote.ts";
import {
  resolveWorkspace,
  type WorkspaceRequest,
} from "../../../src/fleet/git/resolve-workspace.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { gitBy } from "../../../src/workspaces/git.ts";
import { ALONE, testRepository } from "../../support/fleet/repository.ts";
import { tempFolder } from "../../support/folders.ts";

const FILES = { "README.md": "read me\n", "app/main.txt": "main\n" };

async function asked(env: Readonly<Record<string, string>> = ALONE) {
  const folder = await tempFolder();
  const repository = await testRepository(folder, FILES);
  const warnings: string[] = [];
  const want = (wanted: Partial<WorkspaceRequest> = {}, cwd = repository.clone) =>
    resolveWorkspace(
      { repository: undefined, commit: undefined, folder: undefined, ...wanted },
      { git: gitBy(startProcess, env), cwd, warn: (line) => warnings.push(line) },
    );
  return { ...repository, folder, want, warnings };
}

describe("the git workspace of a submitted run", () => {
  it("defaults to HEAD of the current repository, in the current folder", async () => {
    const { clone, remote, git, want, warnings } = await asked();

    const workspace = await want({}, path.join(clone, "app"));

    expect(workspace).toEqual({
      ...{ kind: "git", repository: remote, subfolder: "app" },
      commit: await git("rev-parse", "HEAD"),
    });
    expect(warnings).toEqual([]);
    expect(await want({ folder: "app" })).toEqual(workspace);
  });

  it("accepts another repository by URL, and a revision of it", async () => {
    const { remote, folder, git, inRemote, want } = await asked();
    await inRemote("tag", "v1", "main");
    const commit = await git("rev-parse", "HEAD");

    for (const named of [undefined, "main", "v1", commit]) {
      const wanted = { repository: "remote.git", commit: named, folder: "app/" };
      expect(await want(wanted, folder)).toEqual({
        ...{ kind: "git", repository: remote, subfolder: "app", commit },
      });
    }
  });

  it("excludes uncommitted changes, with a warning", async () => {
    const { write, want, warnings, clone } = await asked();
    await write("README.md", "changed\n");
    await write("new.txt", "new\n");

    await want();

    expect(warnings).toEqual([
      expect.stringContaining(`2 files in ${clone} have uncommitted changes`),
    ]);
  });

  it("refuses a commit that the remote lacks, until it is pushed", async () => {
    const { git, commit, want } = await asked();
    const mine = await commit("mine");

    await expect(want()).rejects.toMatchObject({
      code: "fleet/not-pushed",
      hint: expect.stringContaining("git push") as string,
    });
    await git("push", "--quiet", "origin", "HEAD:elsewhere");

    expect(await want()).toMatchObject({ commit: mine });
  });

  it.each([
    ["a folder in no repository", {}, "..", "fleet/not-a-repository", "--repository URL"],
    ["a commit that is nowhere", { commit: "nope" }, ".", "fleet/no-such-commit", "--commit"],
    [
      "a branch that the remote lacks",
      { repository: "../remote.git", commit: "nope" },
      ".",
      "fleet/no-such-commit",
      "a branch",
    ],
    [
      "a remote that is not there",
      { repository: "/nowhere.git" },
      ".",
      "fleet/remote-refused",
      "git ls-remote",
    ],
    [
      "a remote that cannot be reached",
      { repository: "http://127.0.0.1:1/x.git" },
      ".",
      "fleet/away-remote",
      "git ls-remote",
    ],
    [
      "a URL that would run a command",
      { repository: "ext::sh -c id" },
      ".",
      "fleet/remote-refused",
      "git",
    ],
    [
      "a folder outside of the repository",
      { repository: "../remote.git", folder: "../x" },
      ".",
      "fleet/bad-subfolder",
      "--folder",
    ],
    ["a folder that is not there", { folder: "nope" }, ".", "fleet/bad-subfolder", "--folder"],
  ])("explains the refusal of %s", async (_, wanted, at, code, hint) => {
    const { clone, want } = await asked();

    await expect(want(wanted, path.resolve(clone, at))).rejects.toMatchObject({
      code,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it("explains the refusal of a repository without a commit", async () => {
    const { folder, git, want } = await asked();
    const empty = path.join(folder, "empty");
    await git("init", "--quiet", empty);
    await git("-C", empty, "remote", "add", "origin", folder);

    await expect(want({}, empty)).rejects.toMatchObject({
      code: "fleet/no-such-commit",
      hint: "The repository is empty. Create a commit (git commit) and push it (git push).",
    });
  });

  it("explains the refusal of a repository without origin, and of a machine without git", async () => {
    const { git, want } = await asked();
    await git("remote", "remove", "origin");
    const none = await asked({ PATH: "/nonexistent" });

    await expect(want()).rejects.toMatchObject({ code: "fleet/no-remote" });
    await expect(none.want()).rejects.toMatchObject({ code: "workspace/no-git" });
  });

  it.each([
    ["https://she:secret@example.org/x.git", "https://example.org/x.git"],
    ["https://token@example.org/x.git", "https://example.org/x.git"],
    ["ssh://git:secret@example.org/x.git", "ssh://git@example.org/x.git"],
    ["ssh://git@example.org:22/x.git", "ssh://git@example.org:22/x.git"],
    ["git@example.org:she/x.git", "git@example.org:she/x.git"],
    ["/srv/a:b@c/x.git", "/srv/a:b@c/x.git"],
  ])("removes secrets from %s", (url, kept) => {
    expect(withoutSecrets(url)).toBe(kept);
  });
});
