import { realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { findProgram } from "../../process/find-program.ts";
import type { ClientVersion } from "../common/coding-agent.ts";
import { askVersion, findClient, judgeVersion, type Locatable } from "../common/locate-client.ts";
import type { Asker } from "../common/probe.ts";
import { codexErrors } from "./errors.ts";

const LOCATABLE: Locatable = { name: "codex", errors: codexErrors };

/** Conversations are in files of the client, whose format may change with each version. */
const TESTED = { from: [0, 169, 0], to: [0, 171, 0] } as const;

/** The newest version that raymond was tested with. */
export const TESTED_VERSION = TESTED.to.join(".");

/** Runs `--version`. Rejects with `codex/unusable`. */
export async function codexVersion(client: string, asker: Asker): Promise<ClientVersion> {
  const version = await askVersion(LOCATABLE, client, asker);
  const unknown = `Unknown version of codex: raymond was tested with ${TESTED_VERSION}.`;
  return judgeVersion(LOCATABLE, version, TESTED, unknown);
}

/**
 * The absolute path of the program to start. `named`: a path, or a name on PATH (null: `codex`). For an installation by
 * npm it is the native program in the package. Rejects with `codex/not-found` or `codex/unusable`.
 */
export async function findCodex(
  named: string | null,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const found = await findClient(LOCATABLE, named, env, cwd, platform);
  return (await nativeProgram(found, env, cwd, platform)) ?? found;
}

/** The part of the package's name and the folder below `vendor`, by platform and architecture. */
const TARGETS: Readonly<Record<string, readonly [name: string, triple: string]>> = {
  "linux-x64": ["linux-x64", "x86_64-unknown-linux-musl"],
  "linux-arm64": ["linux-arm64", "aarch64-unknown-linux-musl"],
  "darwin-x64": ["darwin-x64", "x86_64-apple-darwin"],
  "darwin-arm64": ["darwin-arm64", "aarch64-apple-darwin"],
  "win32-x64": ["win32-x64", "x86_64-pc-windows-msvc"],
  "win32-arm64": ["win32-arm64", "aarch64-pc-windows-msvc"],
};

/**
 * The native program that npm's launcher `bin/codex.js` would start (docs/codex.md, "Installation"); null if the program
 * is not such a launcher. A killed launcher leaves the native program running (measured on Node.js 20).
 */
async function nativeProgram(
  launcher: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform,
): Promise<string | null> {
  const target = TARGETS[`${platform}-${process.arch}`];
  if (target === undefined) return null;
  const [name, triple] = target;
  const packages = platform === "win32" ? packagesBeside(launcher) : await packagesOf(launcher);
  for (const codex of packages) {
    const program = path.join(triple, "bin", platform === "win32" ? "codex.exe" : "codex");
    for (const vendor of vendorsOf(codex, name)) {
      const found = findProgram(path.join(vendor, program), env, cwd, platform);
      if (found.kind === "found") return found.path;
    }
  }
  return null;
}

/** The folder of the package `@openai/codex`, if the launcher is a link into it. */
async function packagesOf(launcher: string): Promise<readonly string[]> {
  const file = await realpath(launcher).catch(() => launcher);
  return /[\\/]bin[\\/]codex\.js$/.test(file) ? [path.dirname(path.dirname(file))] : [];
}

/** npm for Windows writes a script next to the folder of packages: a link would need more rights. */
function packagesBeside(launcher: string): readonly string[] {
  const folder = path.dirname(launcher);
  const own = ["@openai", "codex"];
  return [path.join(folder, "node_modules", ...own), path.join(folder, "..", ...own)];
}

/** The native program is in a package of its own, or (in old versions) in the same one. */
function vendorsOf(codex: string, name: string): readonly string[] {
  const vendors = [path.join(codex, "vendor")];
  try {
    const require = createRequire(path.join(codex, "package.json"));
    const found = require.resolve(`@openai/codex-${name}/package.json`);
    return [path.join(path.dirname(found), "vendor"), ...vendors];
  } catch {
    return vendors;
  }
}
