import { compareVersion } from "../../language/basics/compare-version.ts";
import { findProgram } from "../common/find-program.ts";
import { type Asker, askClient } from "../common/probe.ts";
import { claudeErrors } from "./errors.ts";
import { VERSIONS } from "./versions.ts";

export interface Client {
  /** Absolute. */
  readonly path: string;
  /** E.g. `2.1.330`; null if unknown. */
  readonly version: string | null;
  /** A warning about a version that raymond was not tested with; null for a tested one. */
  readonly warning: string | null;
}

/** {@link findClient}, and then {@link askVersion}. */
export async function locateClient(wanted: string | null, asker: Asker): Promise<Client> {
  return askVersion(await findClient(wanted, asker.env, asker.cwd), asker);
}

/** Runs `--version`. Rejects with `claude/unusable`. */
export async function askVersion(path: string, asker: Asker): Promise<Client> {
  const { exitCode, stdout } = await askClient(path, ["--version"], asker);
  if (exitCode !== 0) throw claudeErrors["claude/unusable"](path, exitCode);
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null;
  return { path, version, warning: versionWarning(version) };
}

/** A warning about a version that raymond was not tested with; null for a tested one. */
export function versionWarning(version: string | null): string | null {
  if (version === null) {
    return "Unknown version of claude: raymond counts its cost as that of an old client.";
  }
  const { from, to } = VERSIONS.tested;
  const tested = `raymond was tested with ${from.join(".")} to ${to.join(".")}`;
  if (compareVersion(version, from) < 0)
    return `claude ${version} is older than expected: ${tested}.`;
  if (compareVersion(version, to) > 0)
    return `claude ${version} is newer than expected: ${tested}.`;
  return null;
}

/**
 * The absolute path of the client. `named`: a path, or a name on PATH (null: `claude`). Rejects with `claude/not-found`
 * or `claude/unusable`.
 */
export async function findClient(
  named: string | null,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const client = named ?? "claude";
  const found = await findProgram(client, env, cwd, platform);
  switch (found.kind) {
    case "found":
      return found.path;
    case "not-executable":
      throw claudeErrors["claude/unusable"](found.path, "not executable");
    case "missing":
      throw claudeErrors["claude/not-found"](client, found.onPath);
  }
}
