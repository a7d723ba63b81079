import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../../../language/basics/error-code.ts";
import {
  readExecuting,
  readSettings,
  shown,
  tooManyFiles,
  UNREADABLE,
} from "../../common/executing-file.ts";
import type { ExecutingFile, ProjectSettings } from "../../common/project-settings.ts";

/**
 * The files below `.pi` that make pi execute something in a trusted folder (docs/pi.md, "Settings of the project"), in
 * `cwd` only. Texts, such as skills, templates and system prompts, execute nothing. Never rejects: a file that cannot be
 * read counts as executing.
 */
export async function readProjectSettings(cwd: string): Promise<ProjectSettings> {
  const folder = await realpath(cwd).catch(() => cwd);
  const files = await filesBelow(path.join(folder, ".pi"));
  if (files.length > MOST_FILES) return { folder, executing: [tooManyFiles(".pi")] };
  const executing: ExecutingFile[] = [];
  for (const file of files.toSorted()) {
    const read = await readOne(folder, path.join(".pi", file));
    if (read !== null) executing.push(read);
  }
  return { folder, executing };
}

const MOST_FILES = 2_000;

/** Links to folders count as files, whose content cannot be checked. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      if (isMissing(error)) return [];
      return null;
    },
  );
  if (entries === null) return [""];
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

/** Null for a text, and for harmless settings. */
async function readOne(folder: string, name: string): Promise<ExecutingFile | null> {
  if (TEXT.test(name.replaceAll("\\", "/"))) return null;
  const isSettings = name === path.join(".pi", "settings.json");
  return readExecuting(path.join(folder, name), name, (text) =>
    isSettings ? executedBySettings(text) : ["can be executed by pi"],
  );
}

const TEXT = /^\.pi\/(?:SYSTEM|APPEND_SYSTEM)\.md$|^\.pi\/(?:skills|prompts)\/.*\.md$/;

/** Settings that only change models, the display and files of pi. Keys of newer versions need trust. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["defaultProvider", "defaultModel", "defaultThinkingLevel", "modelThinkingLevels"],
  ...["thinkingBudgets", "hideThinkingBlock", "showCacheMissNotices", "enabledModels"],
  ...["theme", "quietStartup", "collapseChangelog", "compaction", "branchSummary", "retry"],
  ...["warnings", "markdown", "steeringMode", "followUpMode", "defaultTools"],
]);

/** What `.pi/settings.json` makes pi execute, such as extensions, packages and the prefix of commands. */
function executedBySettings(text: string): readonly string[] {
  const settings = readSettings(text);
  if (settings === null) return [UNREADABLE];
  return Object.entries(settings)
    .filter(([key]) => !HARMLESS.has(key))
    .map(([key, value]) => `${key}: ${shown(value)}`);
}
