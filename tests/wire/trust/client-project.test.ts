import { mkdir, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { projectAccess, projectFiles } from "../../../src/wire/trust/client-project.ts";
import { trust, untrustedIn } from "../../../src/wire/trust/trusted.ts";
import { userStateFolder } from "../../../src/wire/trust/user-state-folder.ts";
import { tempFolder } from "../../support/folders.ts";

async function project(files: Readonly<Record<string, string>>) {
  const top = await realpath(await tempFolder());
  const env = { HOME: path.join(top, "home") };
  const write = async (name: string, text: string) => {
    const file = path.join(top, "p", name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const folder = path.join(top, "p");
  return {
    ...{ folder, env, write },
    untrusted: async (cwd = ".") => (await projectFiles(path.join(folder, cwd), { env })).untrusted,
    trusts: async (cwd = ".") => {
      await trust((await projectFiles(path.join(folder, cwd), { env })).subject, { env });
    },
  };
}

/** docs/trust.md, "Trusting a project". */
describe("the files of a trusted folder", () => {
  it("need trust again when one changes, appears or is removed, by name", async () => {
    const { write, folder, untrusted, trusts } = await project({
      ...{ ".claude/settings.json": "{}", ".claude/a.md": "a", ".mcp.json": "{}" },
    });
    expect(await untrusted()).toEqual([".claude/a.md", ".claude/settings.json", ".mcp.json"]);
    await trusts();
    expect(await untrusted()).toEqual([]);

    await write(".claude/settings.json", "{ }");
    await write("sub/.claude/skills/b/SKILL.md", "b");
    await rm(path.join(folder, ".claude/a.md"));
    expect(await untrusted()).toEqual([
      ".claude/a.md (removed)",
      ".claude/settings.json (changed)",
      "sub/.claude/skills/b/SKILL.md (new)",
    ]);
  });

  it("are trusted in its subfolders, and not in the folders above it", async () => {
    const { write, untrusted, trusts } = await project({
      ...{ "a/.claude/settings.json": "{}", "a/b/.mcp.json": "{}", "c/.mcp.json": "{}" },
    });
    await trusts("a");

    expect(await untrusted("a/b")).toEqual([]);
    expect(await untrusted("c")).not.toEqual([]);
    expect(await untrusted()).not.toEqual([]);

    await write("a/b/.claude/settings.json", "{}");
    expect(await untrusted("a/b")).not.toEqual([]);
  });

  it("are trusted for a user only, in files that only the user can read", async () => {
    const { folder, env, trusts } = await project({ ".mcp.json": "{}" });
    await Promise.all([trusts(), trusts(), trusts()]);

    const store = path.join(userStateFolder(env), "trusted");
    const [entry = "", ...others] = await readdir(store);
    expect(others).toEqual([]);
    expect((await stat(path.join(store, entry))).mode & 0o777).toBe(0o600);
    const other = { env: { HOME: path.join(folder, "..", "other") } };
    expect((await projectFiles(folder, other)).untrusted).toEqual([".mcp.json"]);
  });

  it("are trusted in a worktree of raymond while they are the same", async () => {
    const { folder, env, write, trusts } = await project({
      ...{
        ".claude/settings.json": "{}",
        ".claude/settings.local.json": "{}",
        ".git": "gitdir: x",
      },
    });
    const worktree = path.join(userStateFolder(env), "worktrees", "p", "w");
    const inWorktree = async (name: string, text: string) => {
      await mkdir(path.dirname(path.join(worktree, name)), { recursive: true });
      await writeFile(path.join(worktree, name), text);
    };
    await inWorktree(".git", "gitdir: y");
    await inWorktree(".claude/settings.json", "{}");
    const access = () => projectAccess("claude", { switches: {} }, folder, { env })(worktree);

    expect(await access()).toMatchObject({ kind: "ignore" });
    await trusts();
    expect(await access()).toEqual({ kind: "load" });
    await inWorktree(".claude/skills/a/SKILL.md", "x");
    expect(await access()).toMatchObject({ kind: "ignore" });

    // A folder elsewhere with the same files is another project.
    await write("../q/.claude/settings.json", "{}");
    const other = path.join(folder, "..", "q");
    expect(await projectAccess("claude", { switches: {} }, folder, { env })(other)).toMatchObject({
      kind: "ignore",
    });
  });
});

it("a file that cannot be checked is never trusted", async () => {
  const { folder, env } = await project({ ".claude/a": "x" });
  const subject = { kind: "files", place: folder, contents: new Map([["x", null]]) } as const;
  await trust(subject, { env });

  expect(await untrustedIn(subject, { env })).toEqual(["x (cannot be checked)"]);
});

it("an answer that cannot be stored is an error that says what to do", async () => {
  const { folder, trusts, write } = await project({ ".mcp.json": "{}" });
  await write("../home/.local", "a file");

  await expect(trusts()).rejects.toMatchObject({ code: "project/trust-not-stored" });
  expect(await readdir(folder)).toEqual([".mcp.json"]);
});
