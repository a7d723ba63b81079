import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readRegularFile } from "../../../files/read-file.ts";
import { isMissing } from "../../../language/basics/error-code.ts";
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
  const found: ExecutingFile[] = complete ? [] : [TOO_MANY];
  for (const { file, kind } of files) {
    if (ownFolder !== null && file.startsWith(ownFolder + path.sep)) continue;
    const read = await readOne(file, kind, path.relative(folder, file));
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

const TOO_MANY: ExecutingFile = {
  name: ".claude",
  sha256: "",
  statements: ["has too many files to check all of them"],
};

/** Null for a harmless or missing file. */
async function readOne(
  file: string,
  kind: ObeyedFile["kind"],
  name: string,
): Promise<ExecutingFile | null> {
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(file, LIMITS.small);
  } catch (error) {
    if (isMissing(error)) return null;
    const reason = error instanceof Error ? error.message : String(error);
    return {
      name,
      sha256: "",
      statements: [`cannot be read, so its effect is unknown: ${reason}`],
    };
  }
  const statements = await statementsOf(kind, bytes.toString("utf8"));
  if (statements.length === 0) return null;
  return { name, sha256: createHash("sha256").update(bytes).digest("hex"), statements };
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
