import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const VERSION = "0.171.0";
const CACHE = path.join(import.meta.dirname, "..", "..", "..", ".cache", "clients");
const FOLDER = path.join(CACHE, `codex-${VERSION}`);

/** npm's launcher of the installed client. */
export function codexPath(): string {
  return launcherIn(FOLDER);
}

/** A folder for the client's own folder: in the system's temporary folder it has no sandbox (docs/codex.md). */
export const CODEX_HOMES = path.join(CACHE, "codex-homes");

function launcherIn(folder: string): string {
  return path.join(folder, "node_modules", ".bin", "codex");
}

/**
 * Installs Codex into the cache folder of the project, unless it is there. An interrupted installation is not mistaken
 * for a complete one.
 */
export async function installCodex(): Promise<void> {
  await mkdir(CODEX_HOMES, { recursive: true });
  if (existsSync(codexPath())) return;
  const folder = await mkdtemp(path.join(CACHE, "installing-codex-"));
  const run = promisify(execFile);
  try {
    // Without it npm installs into the nearest parent folder with a package.json.
    await writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
    const name = `@openai/codex@${VERSION}`;
    await run("npm", ["install", "--save-exact", "--no-audit", "--no-fund", name], { cwd: folder });
    const { stdout } = await run(launcherIn(folder), ["--version"]);
    if (!stdout.includes(VERSION)) throw new Error(`It says that it is ${stdout.trim()}.`);
    await rm(FOLDER, { recursive: true, force: true });
    await rename(folder, FOLDER);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `codex ${VERSION}, which these tests run against, could not be installed into ${FOLDER}. They need npm and a ` +
        `registry that has @openai/codex. ${why}`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
