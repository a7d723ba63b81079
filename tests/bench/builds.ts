import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** This checkout. */
export const HERE = path.join(import.meta.dirname, "..", "..");

/** A checkout to measure. */
export interface Checkout {
  readonly folder: string;
  /** Use its `dist` instead of building it. */
  readonly isBuilt: boolean;
  /** Removes what was created for it. */
  remove(): Promise<void>;
}

/**
 * The checkout that `--compare` names: a folder with a build, or a git ref of this repository, which
 * is extracted into a temporary folder with the packages of this one. Rejects with a sentence.
 */
export async function checkoutOf(build: string): Promise<Checkout> {
  if (existsSync(path.join(build, "package.json"))) {
    const folder = path.resolve(build);
    if (!existsSync(path.join(folder, "dist", "cli", "main.cjs"))) {
      throw new Error(`--compare: ${folder} is not built. Run npm run build there.`);
    }
    return { folder, isBuilt: true, remove: () => Promise.resolve() };
  }
  const git = (...words: readonly string[]) => execute("git", ["-C", HERE, ...words]);
  const found = await git(
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${build}^{commit}`,
  ).catch(() => null);
  if (found === null) {
    throw new Error(`--compare: ${build} is neither a folder with a build nor a git ref.`);
  }
  const root = await mkdtemp(path.join(tmpdir(), "raymond-build-"));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    const archive = path.join(root, "checkout.tar");
    await git("archive", "--format=tar", `--output=${archive}`, found.stdout.trim());
    await execute("tar", ["-xf", archive, "-C", root]);
    await symlink(path.join(HERE, "node_modules"), path.join(root, "node_modules"));
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder: root, isBuilt: false, remove };
}
