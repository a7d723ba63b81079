import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readTextFile } from "../../../files/read-file.ts";
import { withParents } from "../../common/project-settings.ts";

/** A file that the client reads for a call in some folder. It may be missing. */
export interface ObeyedFile {
  /** Absolute. */
  readonly file: string;
  /** `instructions`: a skill, a command or a subagent. */
  readonly kind: "settings" | "servers" | "instructions";
}

/**
 * The files that the client obeys for a call in `cwd`, a path without links, as measured on both versions
 * (docs/claude.md, "Settings of the project"):
 *
 * - `.claude/settings.json` of the folder itself;
 * - `.claude/settings.local.json` of the folder and (from 2.1.330 on) of the top of its repository;
 * - skills, commands and subagents of all folders up to the top of the repository, or up to the root without one;
 * - `.mcp.json` of all folders up to the root;
 * - for a linked worktree, also those of the main worktree.
 */
export async function obeyedFiles(
  cwd: string,
): Promise<{ readonly files: readonly ObeyedFile[]; readonly complete: boolean }> {
  const parents = withParents(cwd);
  const top = await firstWithGit(parents);
  const main = top === null ? null : await mainWorktree(top);
  const project = top === null ? parents : parents.slice(0, parents.indexOf(top) + 1);
  const tops = [...(top === null ? [] : [top]), ...(main === null ? [] : [main])];
  const walk: Walk = { left: MOST_ENTRIES, found: [] };
  for (const folder of new Set([...project, ...tops])) {
    for (const name of INSTRUCTION_FOLDERS) {
      await findMarkdown(path.join(folder, ".claude", name), MAX_DEPTH, walk);
    }
  }
  const files = [
    settings(cwd, "settings.json"),
    ...[...new Set([cwd, ...tops])].map((folder) => settings(folder, "settings.local.json")),
    ...[...new Set([...parents, ...tops])].map(
      (folder): ObeyedFile => ({ file: path.join(folder, ".mcp.json"), kind: "servers" }),
    ),
    ...walk.found.map((file): ObeyedFile => ({ file, kind: "instructions" })),
  ];
  return { files, complete: walk.left > 0 };
}

function settings(folder: string, name: string): ObeyedFile {
  return { file: path.join(folder, ".claude", name), kind: "settings" };
}

async function firstWithGit(folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    if ((await stat(path.join(folder, ".git")).catch(() => null)) !== null) return folder;
  }
  return null;
}

/** In a linked worktree `.git` is a file that leads to the repository. Null if there is no other worktree. */
async function mainWorktree(top: string): Promise<string | null> {
  try {
    const pointer = await readTextFile(path.join(top, ".git"), LIMITS.small);
    const [, target = null] = /^gitdir: (.+)$/m.exec(pointer) ?? [];
    if (target === null) return null;
    const gitDir = path.resolve(top, target);
    const common = (await readTextFile(path.join(gitDir, "commondir"), LIMITS.small)).trim();
    const repository = path.resolve(gitDir, common);
    return path.basename(repository) === ".git" ? path.dirname(repository) : null;
  } catch {
    return null;
  }
}

const INSTRUCTION_FOLDERS = ["agents", "commands", "skills"] as const;

/** Links can form cycles. */
const MAX_DEPTH = 6;
const MOST_ENTRIES = 2_000;

interface Walk {
  /** Entries that may still be visited. */
  left: number;
  readonly found: string[];
}

/** Markdown files at any depth, also behind links, which the client follows. */
async function findMarkdown(folder: string, depth: number, walk: Walk): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    walk.left -= 1;
    if (walk.left <= 0) return;
    const place = path.join(folder, entry.name);
    if (/\.md$/i.test(entry.name)) walk.found.push(place);
    else if (depth > 0 && !entry.isFile()) await findMarkdown(place, depth - 1, walk);
  }
}
