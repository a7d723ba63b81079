import { compareVersion } from "../../language/basics/compare-version.ts";
import { findProgram } from "../common/find-program.ts";
import { type Asker, askClient } from "../common/probe.ts";
import { piErrors } from "./errors.ts";

export interface PiClient {
  /** Absolute. */
  readonly path: string;
  /** E.g. `0.85.1`; null if unknown. */
  readonly version: string | null;
  /** A warning about a version that raymond was not tested with; null for a tested one. */
  readonly warning: string | null;
}

/** The version that raymond was tested with. */
const TESTED = [0, 85, 1] as const;

/** {@link findPi}, and then {@link askPiVersion}. */
export async function locatePi(wanted: string | null, asker: Asker): Promise<PiClient> {
  return askPiVersion(await findPi(wanted, asker.env, asker.cwd), asker);
}

/** Runs `--version`. Rejects with `pi/unusable`. */
export async function askPiVersion(path: string, asker: Asker): Promise<PiClient> {
  const { exitCode, stdout } = await askClient(path, ["--version"], asker);
  if (exitCode !== 0) throw piErrors["pi/unusable"](path, exitCode);
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null;
  return { path, version, warning: versionWarning(version) };
}

function versionWarning(version: string | null): string | null {
  const tested = `raymond was tested with ${TESTED.join(".")}`;
  if (version === null) return `Unknown version of pi: ${tested}.`;
  const order = compareVersion(version, TESTED);
  if (order === 0) return null;
  return `pi ${version} is ${order < 0 ? "older" : "newer"} than expected: ${tested}.`;
}

/**
 * The absolute path of the client. `named`: a path, or a name on PATH (null: `pi`). Rejects with `pi/not-found` or
 * `pi/unusable`.
 */
export async function findPi(
  named: string | null,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const client = named ?? "pi";
  const found = await findProgram(client, env, cwd, platform);
  switch (found.kind) {
    case "found":
      return found.path;
    case "not-executable":
      throw piErrors["pi/unusable"](found.path, "not executable");
    case "missing":
      throw piErrors["pi/not-found"](client, found.onPath);
  }
}
