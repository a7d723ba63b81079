import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readProjectSettings } from "../../../../src/clients/claude/project/project-settings.ts";

const HOOKS = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}';
const SERVERS = '{"mcpServers": {"s": {"command": "y"}}}';

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "project-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

/** The names of executing files, as seen from a folder of the project. */
async function executing(folder: string, from = ".", own = "/home/user/.claude") {
  const { executing: found } = await readProjectSettings(path.join(folder, from), own);
  return found.map(({ name }) => name);
}

/** The folders as measured on 2.1.197 and 2.1.330 (docs/claude.md, "Settings of the project"). */
describe("settings of a project", () => {
  it("are those of the folder, of the top of its repository and of its parents", async () => {
    const folder = await project({
      ".mcp.json": SERVERS,
      "repo/.git/HEAD": "",
      "repo/.claude/settings.json": HOOKS,
      "repo/.claude/settings.local.json": HOOKS,
      "repo/.claude/skills/a/SKILL.md": "---\nallowed-tools: Bash\n---\n",
      ".claude/skills/b/SKILL.md": "---\nallowed-tools: Bash\n---\n",
      "repo/sub/.claude/settings.json": HOOKS,
    });

    expect(await executing(folder, "repo/sub")).toEqual([
      ".claude/settings.json",
      "../.claude/settings.local.json",
      "../../.mcp.json",
      "../.claude/skills/a/SKILL.md",
    ]);
  });

  it("of a linked worktree include those of the main worktree", async () => {
    const folder = await project({
      "main/.git/worktrees/w/commondir": "../..\n",
      "main/.claude/settings.local.json": HOOKS,
    });
    await mkdir(path.join(folder, "w"));
    await writeFile(
      path.join(folder, "w/.git"),
      `gitdir: ${path.join(folder, "main/.git/worktrees/w")}\n`,
    );

    expect(await executing(folder, "w")).toEqual(["../main/.claude/settings.local.json"]);
  });

  it("never include those of the user, and a relative folder of the user hides none", async () => {
    const folder = await project({ ".claude/settings.json": HOOKS });

    expect(await executing(folder, ".", path.join(folder, ".claude"))).toEqual([]);
    expect(await executing(folder, ".", "")).toEqual([".claude/settings.json"]);
    expect(await executing(folder, ".", folder)).toEqual([".claude/settings.json"]);
  });

  it("need trust if they cannot be read, or are too many", async () => {
    const folder = await project({ "other/x": "" });
    await mkdir(path.join(folder, ".claude/settings.json"), { recursive: true });
    expect(await executing(folder)).toEqual([".claude/settings.json"]);
    await mkdir(path.join(folder, ".claude/skills"), { recursive: true });
    for (const name of ["a", "b", "c", "d"]) {
      await symlink(".", path.join(folder, ".claude/skills", name));
    }

    expect(await executing(folder)).toContain(".claude");
  });
});
