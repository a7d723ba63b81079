import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readTextFile } from "../../../files/read-file.ts";

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
export async function obeyedFiles(cwd: string): Promise<readonly ObeyedFile[]> {
  const parents = withParents(cwd);
  const top = await firstWithGit(parents);
  const main = top === null ? null : await mainWorktree(top);
  const project = top === null ? parents : parents.slice(0, parents.indexOf(top) + 1);
  const tops = [...(top === null ? [] : [top]), ...(main === null ? [] : [main])];
  const instructions = await Promise.all(
    [...new Set([...project, ...tops])].map((folder) => instructionsIn(folder)),
  );
  return [
    settings(cwd, "settings.json"),
    ...[...new Set([cwd, ...tops])].map((folder) => settings(folder, "settings.local.json")),
    ...[...new Set([...parents, ...tops])].map(
      (folder): ObeyedFile => ({ file: path.join(folder, ".mcp.json"), kind: "servers" }),
    ),
    ...instructions.flat(),
  ];
}

function settings(folder: string, name: string): ObeyedFile {
  return { file: path.join(folder, ".claude", name), kind: "settings" };
}

/** From the folder up to the root. */
function withParents(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
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

/** Markdown files at any depth, also behind links, which the client follows. */
async function instructionsIn(folder: string): Promise<readonly ObeyedFile[]> {
  const files = await Promise.all(
    INSTRUCTION_FOLDERS.map((name) => markdownIn(path.join(folder, ".claude", name), MAX_DEPTH)),
  );
  return files.flat().map((file) => ({ file, kind: "instructions" }));
}

/** Links can form cycles. */
const MAX_DEPTH = 6;

async function markdownIn(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const place = path.join(folder, entry.name);
    if (/\.md$/i.test(entry.name)) found.push(place);
    else if (depth > 0 && !entry.isFile()) found.push(...(await markdownIn(place, depth - 1)));
  }
  return found.toSorted();
}
