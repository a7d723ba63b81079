import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const VERSION = "1.6.0";
/** pi needs a newer Node.js than raymond. npm provides it as a package per platform. */
const NODE = "24.21.0";
const NODE_PACKAGE = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const CLI = "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js";

const CACHE = path.join(import.meta.dirname, "..", "..", "..", ".cache", "clients");
const FOLDER = path.join(CACHE, `pi-${VERSION}`);

/** The executable of the installed client. */
export function piPath(): string {
  return path.join(FOLDER, "pi");
}

/**
 * Installs pi into the cache folder of the project, unless it is there. An interrupted installation is not mistaken for a
 * complete one.
 */
export async function installPi(): Promise<void> {
  if (existsSync(piPath())) return;
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, "installing-pi-"));
  const run = promisify(execFile);
  try {
    // Without it npm installs into the nearest parent folder with a package.json.
    await writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
    const names = [`@earendil-works/pi-coding-agent@${VERSION}`, `${NODE_PACKAGE}@${NODE}`];
    await run("npm", ["install", "--save-exact", "--no-audit", "--no-fund", ...names], {
      cwd: folder,
    });
    const script = `#!/bin/sh\nexec "\${0%/*}/node_modules/${NODE_PACKAGE}/bin/node" "\${0%/*}/${CLI}" "$@"\n`;
    const program = path.join(folder, "pi");
    await writeFile(program, script);
    await chmod(program, 0o755);
    const { stdout } = await run(program, ["--version"]);
    if (!stdout.startsWith(VERSION)) throw new Error(`It says that it is ${stdout.trim()}.`);
    await rm(FOLDER, { recursive: true, force: true });
    await rename(folder, FOLDER);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `pi ${VERSION}, which these tests run against, could not be installed into ${FOLDER}. They need npm and a ` +
        `registry that has @earendil-works/pi-coding-agent and ${NODE_PACKAGE}. ${why}`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
