import { realpath } from "node:fs/promises";
import path from "node:path";
import { readExecuting, tooManyFiles } from "../../common/executing-file.ts";
import type { ExecutingFile, ProjectSettings } from "../../common/project-settings.ts";
import { executedByServers, executedBySettings } from "./executed.ts";
import { type ObeyedFile, obeyedFiles } from "./obeyed-files.ts";

/**
 * Reads the settings that the client would obey in a working folder. `own`: the client's own folder, whose files
 * belong to the user. Never rejects: a file that cannot be read counts as executing.
 */
export async function readProjectSettings(cwd: string, own: string): Promise<ProjectSettings> {
  const folder = await realpath(cwd).catch(() => cwd);
  const ownFolder = await userFolder(own);
  const { files, complete } = await obeyedFiles(folder);
  const found: ExecutingFile[] = complete ? [] : [tooManyFiles(".claude")];
  for (const { file, kind } of files) {
    if (ownFolder !== null && file.startsWith(ownFolder + path.sep)) continue;
    const name = path.relative(folder, file);
    const read = await readExecuting(file, name, (text) => statementsOf(kind, text));
    if (read !== null) found.push(read);
  }
  return { folder, executing: found };
}

/** A relative path could make the project itself the folder of the user. */
async function userFolder(own: string): Promise<string | null> {
  if (!path.isAbsolute(own)) return null;
  const folder = await realpath(own).catch(() => own);
  return path.basename(folder) === ".claude" ? folder : null;
}

async function statementsOf(kind: ObeyedFile["kind"], text: string): Promise<readonly string[]> {
  switch (kind) {
    case "settings":
      return executedBySettings(text);
    case "servers":
      return executedByServers(text);
    case "instructions":
      // Loads the YAML parser, which few projects need.
      return (await import("./instructions.ts")).executedByInstructions(text);
  }
}
