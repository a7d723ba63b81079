import path from "node:path";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { isMissing } from "../../language/basics/error-code.ts";
import { isJsonObject } from "../../language/basics/json-object.ts";
import type { ProjectAccess } from "../common/project-access.ts";
import { toml } from "./permission-profile.ts";

/**
 * The arguments of a call that ignores the settings of the project (docs/codex.md, "Settings of the project"): folders
 * that the user has trusted in the client count as untrusted, and skills are disabled. In a folder that is marked as
 * untrusted the client also ignores AGENTS.md, so only trusted ones are marked. Rejects for a configuration of the client
 * that cannot be read: then it is unknown what it would trust. `home`: the client's own folder.
 */
export async function accessArgs(
  access: ProjectAccess,
  home: string,
  cwd: string,
): Promise<readonly string[]> {
  if (access.kind === "load") return [];
  const folders = (await trustedFolders(home, cwd)).map(
    (folder) => `${toml(folder)}={trust_level="untrusted"}`,
  );
  const skills = access.files
    .filter((file) => path.basename(file) === "SKILL.md")
    .map((file) => `{path=${toml(file)},enabled=false}`);
  return [
    ...(folders.length === 0 ? [] : ["-c", `projects={${folders.join(",")}}`]),
    ...(skills.length === 0 ? [] : ["-c", `skills.config=[${skills.join(",")}]`]),
  ];
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
