import { execFileSync } from "node:child_process";
import { mkdir, realpath, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { clientFiles } from "../../../src/wire/trust/client-files.ts";
import { tempFolder } from "../../support/folders.ts";
import { itNeeds, onPath } from "../../support/needs.ts";

/** A project with these files, and a home. */
async function project(files: Readonly<Record<string, string>>) {
  const top = await realpath(await tempFolder());
  const env: Record<string, string | undefined> = { HOME: path.join(top, "home") };
  const write = async (name: string, text: string) => {
    const file = path.join(top, "p", name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await mkdir(path.join(top, "p"));
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const found = async (cwd = ".") => {
    const folder = path.join(top, "p");
    const contents = await clientFiles(path.join(folder, cwd), { env });
    return new Map([...contents].map(([file, hash]) => [path.relative(folder, file), hash]));
  };
  const names = async (cwd?: string) => [...(await found(cwd)).keys()].toSorted();
  return { folder: path.join(top, "p"), env, write, found, names };
}

/** docs/trust.md, "Files of coding agents". */
describe("files that coding agents obey", () => {
  it.each([
    [".claude/settings.json"],
    [".claude/settings.local.json"],
    [".claude/skills/a/SKILL.md"],
    [".claude/skills/a/scripts/deep/run.sh"],
    [".claude/commands/a.md"],
    [".claude/agents/a.md"],
    [".claude/hooks/check.mjs"],
    [".claude/plugins/p/hooks/hooks.json"],
    [".claude/rules/a.md"],
    [".mcp.json"],
    [".codex/config.toml"],
    [".codex/hooks.json"],
    [".codex/rules/a.rules"],
    [".agents/skills/a/SKILL.md"],
    [".pi/extensions/a/index.ts"],
    [".pi/SYSTEM.md"],
    ["sub/.claude/skills/a/SKILL.md"],
    ["sub/deep/.mcp.json"],
    [".github/.claude/skills/a/SKILL.md"],
    [".CLAUDE/settings.json"],
    [".claude/worktrees/w/.claude/skills/a/SKILL.md"],
  ])("include %s", async (name) => {
    expect(await (await project({ [name]: "x" })).names()).toEqual([name]);
  });

  it("do not include texts, sources and folders without files", async () => {
    const { folder, names } = await project({
      ...{ "CLAUDE.md": "@more.md", "AGENTS.md": "x", "src/a.ts": "x" },
      ".claude/worktrees/w/src/a.ts": "x",
    });
    await mkdir(path.join(folder, ".claude", "skills"), { recursive: true });

    expect(await names()).toEqual([]);
  });

  it("include those of the folders above, and of the main worktree of a linked one", async () => {
    const { folder, names, write } = await project({
      ...{ ".mcp.json": "x", ".claude/skills/a/SKILL.md": "x", "sub/a.txt": "" },
      "other/.claude/settings.json": "x",
    });
    expect(await names("sub")).toEqual([".claude/skills/a/SKILL.md", ".mcp.json"]);

    await write("elsewhere/.git", `gitdir: ${folder}/other/.git/worktrees/w`);
    await write("other/.git/worktrees/w/commondir", "../..\n");
    expect(await names("elsewhere")).toContain("other/.claude/settings.json");
  });

  it("do not include the user's own folders of the clients", async () => {
    const { folder, env, names, write } = await project({ ".claude/settings.json": "x" });
    env["HOME"] = folder;
    expect(await names()).toEqual([]);

    env["HOME"] = "/missing";
    env["CLAUDE_CONFIG_DIR"] = path.join(folder, "own", ".claude");
    await write("own/.claude/settings.json", "x");
    expect(await names()).toEqual([".claude/settings.json"]);

    // Relative to the working folder of a call, it would be the project's.
    env["CLAUDE_CONFIG_DIR"] = ".claude";
    expect(await names()).toContain(".claude/settings.json");
  });

  it("change with their content, also if their size and time do not", async () => {
    const { found, write } = await project({ ".claude/settings.json": "{ }" });
    const before = await found();
    await write(".claude/settings.json", "[ ]");

    expect(await found()).not.toEqual(before);
  });

  it("include files of any size", async () => {
    const { folder, found, write } = await project({ ".claude/big": "" });
    await truncate(path.join(folder, ".claude/big"), 40 * 2 ** 20);
    const before = await found();
    await write(".claude/big", "x");
    await truncate(path.join(folder, ".claude/big"), 40 * 2 ** 20);

    expect(before.get(".claude/big")).toMatch(/^[0-9a-f]{64}$/);
    expect(await found()).not.toEqual(before);
  });
});

describe("a link", () => {
  it("belongs to the files with its target, also outside of them", async () => {
    const { folder, names, found, write } = await project({
      ...{ "shared/skills/a/SKILL.md": "x", "w/a.txt": "x", "shared/settings.json": "x" },
    });
    await symlink("shared", path.join(folder, ".claude"));
    await mkdir(path.join(folder, "w", ".claude"));
    await symlink("../../shared/skills", path.join(folder, "w", ".claude", "skills"));
    const linked = await found();

    expect(await names()).toEqual([
      ...[".claude", "shared/settings.json", "shared/skills/a/SKILL.md", "w/.claude/skills"],
    ]);

    await write("shared/skills/a/SKILL.md", "y");
    expect(await found()).not.toEqual(linked);
    await write("shared/skills/a/SKILL.md", "x");
    await rm(path.join(folder, "w/.claude/skills"));
    await symlink("../../shared", path.join(folder, "w/.claude/skills"));
    expect(await found()).not.toEqual(linked);
  });

  it("to a missing file or in a circle has an end", async () => {
    const { folder, found } = await project({ ".claude/a": "x" });
    await symlink("missing", path.join(folder, ".claude", "b"));
    await symlink("..", path.join(folder, ".claude", "c"));
    await symlink("d", path.join(folder, ".claude", "d"));

    const all = await found();
    expect(all.get(".claude/b")).toBe("link to missing");
    expect(all.get(".claude/d")).toBeNull();
  });

  it("of the project to a folder elsewhere adds that folder's files", async () => {
    const { folder, names, write } = await project({ "a.txt": "" });
    await write("../elsewhere/.claude/skills/a/SKILL.md", "x");
    await symlink("../elsewhere", path.join(folder, "link"));

    expect(await names()).toEqual(["../elsewhere/.claude/skills/a/SKILL.md"]);
  });
});

itNeeds(onPath("mkfifo"), "a file that is no regular one cannot be checked", async () => {
  const { folder, found } = await project({ ".claude/a": "x" });
  execFileSync("mkfifo", [path.join(folder, ".claude", "settings.json")]);

  expect((await found()).get(".claude/settings.json")).toBeNull();
});

it("a folder of that name that becomes a file is one", async () => {
  const { folder, names } = await project({ claude: "x" });
  await rename(path.join(folder, "claude"), path.join(folder, ".claude"));

  expect(await names()).toEqual([".claude"]);
});
