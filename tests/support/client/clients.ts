import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** Versions with relevant differences, oldest first. */
export const CLIENT_VERSIONS = ["2.1.197", "2.1.330"] as const;
/** The newest version. It differs from the last of {@link CLIENT_VERSIONS} in nothing that raymond relies on. */
export const NEWEST_VERSION = "2.1.332";
export type ClientVersion = (typeof CLIENT_VERSIONS)[number] | typeof NEWEST_VERSION;

/** The executable of an installed client. */
export function clientPath(version: ClientVersion): string {
  return path.join(folderOf(version), "node_modules", ".bin", "claude");
}

/**
 * Installs missing clients into the cache folder of the project. An interrupted installation is not mistaken for
 * a complete one.
 */
export async function installClients(
  versions: readonly ClientVersion[] = [...CLIENT_VERSIONS, NEWEST_VERSION],
): Promise<void> {
  for (const version of versions) {
    if (existsSync(clientPath(version))) continue;
    await install(version);
  }
}

const CACHE = path.join(import.meta.dirname, "..", "..", "..", ".cache", "clients");

function folderOf(version: ClientVersion): string {
  return path.join(CACHE, version);
}

async function install(version: ClientVersion): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, `installing-${version}-`));
  const run = promisify(execFile);
  try {
    // Without it npm installs into the nearest parent folder with a package.json.
    await writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
    const name = `@anthropic-ai/claude-code@${version}`;
    await run("npm", ["install", "--save-exact", "--no-audit", "--no-fund", name], { cwd: folder });
    const { stdout } = await run(path.join(folder, "node_modules", ".bin", "claude"), [
      "--version",
    ]);
    if (!stdout.startsWith(version)) throw new Error(`It says that it is ${stdout.trim()}.`);
    await rm(folderOf(version), { recursive: true, force: true });
    await rename(folder, folderOf(version));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The client ${version}, which these tests run against, could not be installed into ` +
        `${folderOf(version)}. They need npm and a registry that has @anthropic-ai/claude-code. ${why}`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
