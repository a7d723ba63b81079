import { execFile } from "node:child_process";
import { lstat, mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { FolderSnapshots } from "../../../src/workspaces/folder-snapshots.ts";
import { gitBy } from "../../../src/workspaces/git.ts";
import { openPlainGit } from "../../../src/workspaces/plain-git.ts";
import { findRepository } from "../../../src/workspaces/repository.ts";
import { ALONE } from "../fleet/repository.ts";
import { tempFolder } from "../folders.ts";

export const testGit = gitBy(startProcess, ALONE);

/** A repository in a temporary folder, with these files in the first commit; null: no commit. */
export async function workingTree(files: Readonly<Record<string, string>> | null) {
  const folder = await tempFolder();
  const top = path.join(folder, "repo");
  await mkdir(top);
  const git = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)("git", [...NAMED, ...args], {
      cwd: top,
      env: ALONE,
    });
    return stdout.trim();
  };
  const write = async (file: string, content: string | Buffer) => {
    await mkdir(path.dirname(path.join(top, file)), { recursive: true });
    await writeFile(path.join(top, file), content);
  };
  await git("init", "--quiet", "--initial-branch=main");
  if (files !== null) {
    for (const [file, text] of Object.entries(files)) await write(file, text);
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", "--message", "first");
  }
  return { folder, top, git, write, snapshots: () => snapshotsOf(top, folder) };
}

const NAMED = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];

/** Snapshots of a working tree, and a way to write them to an empty folder. */
export async function snapshotsOf(top: string, folder: string, ref = "refs/raymond/one/main") {
  const repository = await findRepository(top, testGit);
  if (repository === null) throw new Error(`${top} is not in a repository`);
  const plain = await openPlainGit(repository, { folder: path.join(folder, "own") }, testGit);
  const skipped = new Map<string, string>();
  const onSkipped = (found: ReadonlyMap<string, string>) => {
    for (const [file, reason] of found) skipped.set(file, reason);
  };
  const snapshots = new FolderSnapshots({ plain, ref, onSkipped }, null);
  let copies = 0;
  const writtenTo = async (commit: string) => {
    copies += 1;
    const copy = path.join(folder, `copy${String(copies)}`);
    await mkdir(copy);
    const place = { folder: path.join(folder, `own${String(copies)}`) };
    const own = await openPlainGit({ ...repository, top: copy }, place, testGit);
    await new FolderSnapshots({ plain: own, ref: null }, null).checkOut(commit);
    return copy;
  };
  return { plain, snapshots, skipped, writtenTo };
}

/** The files below a folder without `.git`: by path, the mode and the content or the target of a link. */
export async function contentOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const visit = async (below: string): Promise<void> => {
    for (const name of (await readdir(path.join(folder, below))).sort()) {
      const file = path.posix.join(below, name);
      if (file === ".git") continue;
      const place = path.join(folder, file);
      const entry = await lstat(place);
      if (entry.isDirectory()) await visit(file);
      else if (entry.isSymbolicLink()) found[file] = `link ${await readlink(place)}`;
      else {
        const mode = (entry.mode & 0o100) === 0 ? "file" : "program";
        found[file] = `${mode} ${(await readFile(place)).toString("latin1")}`;
      }
    }
  };
  await visit("");
  return found;
}
