import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { isMissing } from "../../language/basics/error-code.ts";
import { isJsonObject } from "../../language/basics/json-object.ts";
import { readExecuting } from "../common/executing-file.ts";
import {
  type ExecutingFile,
  type ProjectSettings,
  withParents,
} from "../common/project-settings.ts";
import { toml } from "./permission-profile.ts";

/** The folders that the user has trusted in the client, and that a call must not trust. */
export interface ProjectTrust {
  readonly ignored: readonly string[];
}

export const KEEP_TRUST: ProjectTrust = { ignored: [] };

/**
 * The client loads the settings of a project (`.codex`: MCP servers, hooks, rules, any configuration) only in folders that
 * the user has trusted in it; `codex exec` never asks (docs/codex.md, "Settings of the project"). `home`: of the client.
 * Rejects for a configuration that cannot be read: then it is unknown what the client would trust.
 */
export async function trustToIgnore(home: string, cwd: string): Promise<ProjectTrust> {
  return { ignored: await trustedFolders(home, cwd) };
}

async function trustedFolders(home: string, cwd: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readTextFile(path.resolve(cwd, home, "config.toml"), LIMITS.small);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
  // Most runs do not use Codex, and need no reader of TOML.
  const { parse } = await import("smol-toml");
  const { projects } = parse(text);
  if (!isJsonObject(projects)) return [];
  return Object.entries(projects).flatMap(([folder, settings]) =>
    isJsonObject(settings) && settings["trust_level"] === "trusted" ? [folder] : [],
  );
}

/**
 * The settings of the project that the client would load in a folder: none, unless the user has trusted it or a folder
 * above it in the client. That trust does not end when the files change. Never rejects.
 */
export async function readCodexProject(cwd: string, home: string): Promise<ProjectSettings> {
  const folder = await realpath(cwd).catch(() => cwd);
  const trusted = await trustedFolders(home, cwd).catch(() => [path.parse(folder).root]);
  const isTrusted = trusted.some((each) => folder === each || folder.startsWith(withEnd(each)));
  if (!isTrusted) return { folder, executing: [] };
  const executing: ExecutingFile[] = [];
  for (const parent of withParents(folder)) {
    // The client's own folder belongs to the user.
    if (path.join(parent, ".codex") === path.resolve(cwd, home)) continue;
    for (const name of await settingsIn(parent)) {
      const file = path.join(parent, name);
      const read = await readExecuting(file, path.relative(folder, file), () => [LOADED]);
      if (read !== null) executing.push(read);
    }
  }
  return { folder, executing };
}

function withEnd(folder: string): string {
  return folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`;
}

/** Files of a folder with settings, relative to it. */
async function settingsIn(folder: string): Promise<readonly string[]> {
  const own = await readdir(path.join(folder, ".codex")).catch(() => []);
  const rules = await readdir(path.join(folder, ".codex", "rules")).catch(() => []);
  return [
    ...own.filter((name) => SETTINGS.has(name)).map((name) => path.join(".codex", name)),
    ...rules.map((name) => path.join(".codex", "rules", name)),
  ].toSorted();
}

const LOADED = "is loaded, because codex trusts this folder";

const SETTINGS: ReadonlySet<string> = new Set(["config.toml", "hooks.json"]);

/** In a folder marked as untrusted the client also ignores AGENTS.md, so only trusted ones are marked. */
export function ignoreArgs({ ignored }: ProjectTrust): readonly string[] {
  if (ignored.length === 0) return [];
  const entries = ignored.map((folder) => `${toml(folder)}={trust_level="untrusted"}`);
  return ["-c", `projects={${entries.join(",")}}`];
}
