import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { gitEntryAbove } from "../../src/files/git-entry.ts";
import { tempFolder } from "../support/folders.ts";

it.each([
  ["a folder with HEAD", async (git: string) => writeIn(git, "HEAD")],
  ["a file, as in a worktree", (git: string) => writeFile(git, "gitdir: elsewhere\n")],
  [
    "a folder whose HEAD is a link to a branch in packed-refs",
    async (git: string) => {
      await mkdir(git);
      await symlink("refs/heads/main", path.join(git, "HEAD"));
    },
  ],
  ["an entry that cannot be examined", (git: string) => symlink(".git", git)],
])("finds %s above a folder", async (_, create) => {
  const top = await tempFolder();
  await mkdir(path.join(top, "a/b"), { recursive: true });
  await create(path.join(top, ".git"));

  expect(gitEntryAbove(path.join(top, "a/b"))).toBe(path.join(top, ".git"));
});

it("ignores a folder without HEAD, as a killed sandbox leaves in /tmp, and folders that do not exist", async () => {
  const top = await tempFolder();
  await writeIn(path.join(top, ".git"), "HEAD");
  await mkdir(path.join(top, "a/.git"), { recursive: true });

  expect(gitEntryAbove(path.join(top, "a/missing/b"))).toBe(path.join(top, ".git"));
});

async function writeIn(folder: string, name: string): Promise<void> {
  await mkdir(folder);
  await writeFile(path.join(folder, name), "ref: refs/heads/main\n");
}
