import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { compareVersion } from "../../core/compare-version.ts";
import { ClientNotExecutableError, ClientNotFoundError, ClientUnusableError } from "./errors.ts";
import { type Asker, askClient } from "./probe.ts";

/** The client of this machine. */
export interface Client {
  /** Absolute. */
  readonly path: string;
  /** Such as `2.1.330`; null where it was not understood. */
  readonly version: string | null;
  /** What the user should know about this version; null where raymond was tried with it. */
  readonly warning: string | null;
}

/** The versions that raymond's picture of the client was measured on: first and last. */
const KNOWN = { from: [2, 1, 197], to: [2, 1, 330] } as const;

/** {@link findClient}, and then {@link askVersion}. */
export async function locateClient(wanted: string | null, asker: Asker): Promise<Client> {
  return askVersion(await findClient(wanted, asker.env, asker.cwd), asker);
}

/** Asks a client for its version. Rejects with {@link ClientUnusableError}. */
export async function askVersion(path: string, asker: Asker): Promise<Client> {
  const { exitCode, stdout } = await askClient(path, ["--version"], asker);
  if (exitCode !== 0) throw new ClientUnusableError(path, exitCode);
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null;
  return { path, version, warning: versionWarning(version) };
}

/** A sentence about a version that raymond was not tried with; null for the others. */
export function versionWarning(version: string | null): string | null {
  if (version === null) {
    return "The version of claude was not understood: raymond counts its costs as those of an old client.";
  }
  const tried = `raymond was tried with ${KNOWN.from.join(".")} to ${KNOWN.to.join(".")}`;
  if (compareVersion(version, KNOWN.from) < 0)
    return `claude ${version} is older than expected: ${tried}.`;
  if (compareVersion(version, KNOWN.to) > 0)
    return `claude ${version} is newer than expected: ${tried}.`;
  return null;
}

/**
 * The absolute path of the client: `named` is a path, or a name on PATH (null:
 * `claude`). Rejects with {@link ClientNotFoundError} or
 * {@link ClientNotExecutableError}.
 */
export async function findClient(
  named: string | null,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const wanted = named ?? "claude";
  const isPath = isAbsolute(wanted) || /[/\\]/.test(wanted);
  const folders = isPath
    ? [""]
    : pathOf(env)
        .split(delimiter)
        .filter((folder) => folder !== "");
  const endings = platform === "win32" && !RUNNABLE.test(wanted) ? WINDOWS_ENDINGS : [""];
  let forbidden: string | null = null;
  for (const folder of folders) {
    for (const ending of endings) {
      const path = resolve(cwd, join(folder, `${wanted}${ending}`));
      if (!(await isFile(path))) continue;
      if (await isExecutable(path)) return path;
      forbidden ??= path;
    }
  }
  if (forbidden !== null) throw new ClientNotExecutableError(forbidden);
  throw new ClientNotFoundError(wanted, !isPath);
}

/** npm puts a script for other systems, without an ending, beside the one that Windows can run. */
const WINDOWS_ENDINGS = [".exe", ".cmd", ".bat"];
const RUNNABLE = /\.(?:exe|com|cmd|bat)$/i;

/** Windows writes it `Path`. */
function pathOf(env: Readonly<Record<string, string>>): string {
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH");
  return name === undefined ? "" : (env[name] ?? "");
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
