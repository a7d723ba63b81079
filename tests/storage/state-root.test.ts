import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, nodeDisk } from "../../src/storage/disk.ts";
import { findStateRoot } from "../../src/storage/state-root.ts";
import { tempFolder } from "../support/folders.ts";

/** A folder with these folders in it. */
async function tree(...folders: readonly string[]): Promise<string> {
  const top = await tempFolder();
  for (const folder of folders) await mkdir(path.join(top, folder), { recursive: true });
  for (const folder of folders.filter((name) => name.endsWith(".git")))
    await writeFile(path.join(top, folder, "HEAD"), "ref: refs/heads/main\n");
  return top;
}

describe("findStateRoot", () => {
  it.each([
    [
      "the nearest .raymond upward",
      ["repo/.git", "repo/.raymond", "repo/a/b"],
      "repo/a/b",
      "repo/.raymond",
    ],
    [
      "a nearer one first",
      ["repo/.git", "repo/.raymond", "repo/a/.raymond"],
      "repo/a",
      "repo/a/.raymond",
    ],
    ["none above .git", ["repo/.git", ".raymond", "repo/a"], "repo/a", "repo/.raymond"],
    [
      "a place beside .git when there is none",
      ["repo/.git", "repo/a/b"],
      "repo/a/b",
      "repo/.raymond",
    ],
    ["only the launch folder without .git", [".raymond", "a"], "a", "a/.raymond"],
    ["the launch folder's own without .git", ["a/.raymond"], "a", "a/.raymond"],
  ])("finds %s", async (_, folders, launch, root) => {
    const top = await tree(...folders);

    expect(await findStateRoot(path.join(top, launch))).toBe(path.join(top, root));
  });

  it("accepts a .git file, as in a worktree", async () => {
    const top = await tree("repo/a");
    await writeFile(path.join(top, "repo", ".git"), "gitdir: elsewhere");

    expect(await findStateRoot(path.join(top, "repo", "a"))).toBe(path.join(top, "repo/.raymond"));
  });

  it("ignores a .git folder that git does not use either, as a killed sandbox leaves in /tmp", async () => {
    const top = await tree("a/b");
    await mkdir(path.join(top, ".git"));

    expect(await findStateRoot(path.join(top, "a/b"))).toBe(path.join(top, "a/b/.raymond"));
  });

  it("uses the folder of --state-dir", async () => {
    const top = await tree("repo/.git", "repo/.raymond");

    expect(await findStateRoot(path.join(top, "repo"), { stateDir: "../runs" })).toBe(
      path.join(top, "runs"),
    );
  });

  it("refuses one that belongs to another user", async () => {
    const top = await tree(".git", ".raymond");
    const user = (process.getuid?.() ?? 0) + 1;

    await expect(findStateRoot(top, { user })).rejects.toMatchObject({
      code: "store/unusable-root",
      message: expect.stringContaining("belongs to another user") as string,
    });
  });

  it.each(["link", "folder"])("refuses a link whose %s belongs to another user", async (what) => {
    const top = await tree("repo/.git", "elsewhere");
    const link = path.join(top, "repo", ".raymond");
    await symlink(path.join(top, "elsewhere"), link);
    const user = process.getuid?.() ?? 0;
    const foreign = what === "link" ? link : path.join(top, "elsewhere");
    const real = nodeDisk();
    const disk: Disk = {
      ...real,
      entry: async (place) => {
        const entry = await real.entry(place);
        return entry === null || place !== foreign ? entry : { ...entry, owner: user + 1 };
      },
    };

    await expect(findStateRoot(path.join(top, "repo"), { disk, user })).rejects.toMatchObject({
      message: expect.stringContaining("belongs to another user") as string,
    });
  });

  it("accepts a link to a folder", async () => {
    const top = await tree("repo/.git", "elsewhere");
    await symlink(path.join(top, "elsewhere"), path.join(top, "repo", ".raymond"));

    expect(await findStateRoot(path.join(top, "repo"))).toBe(path.join(top, "repo", ".raymond"));
  });

  it.each([{}, { stateDir: ".raymond" }])("refuses a file in its place (%o)", async (options) => {
    const top = await tree(".git");
    await writeFile(path.join(top, ".raymond"), "");

    await expect(findStateRoot(top, options)).rejects.toThrow("is not a folder");
  });
});

describe("a link without a target", () => {
  it.each([null, ".raymond"])("is refused as .raymond and as --state-dir %s", async (stateDir) => {
    const top = await tree("repo/.git", "repo/a");
    await symlink("/nowhere/disk", path.join(top, "repo/.raymond"));

    const launch = path.join(top, stateDir === null ? "repo/a" : "repo");
    await expect(findStateRoot(launch, { stateDir })).rejects.toMatchObject({
      code: "store/dead-link",
      message: expect.stringContaining("is a symbolic link to /nowhere/disk") as string,
    });
  });
});
