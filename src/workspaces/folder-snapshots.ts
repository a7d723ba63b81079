import { existsSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { pathInside } from "../files/paths.ts";
import { changedPaths, ignoredTracked, type SkipReason } from "./changed-paths.ts";
import { workspaceErrors } from "./errors.ts";
import type { Git } from "./git.ts";
import { hiddenFiles, keepHidden, writeTree } from "./hidden-files.ts";
import type { PlainGit } from "./plain-git.ts";
import { inCommon, inTree } from "./repository.ts";
import { readSnapshot, type SnapshotCommit, snapshotMessage } from "./snapshot-commit.ts";

export interface FolderSnapshotsOptions {
  readonly plain: PlainGit;
  /** Keeps the last snapshot; null: no ref. */
  readonly ref: string | null;
  /** Folders that are not part of snapshots: absolute. */
  readonly without?: readonly string[];
  readonly maxFileBytes?: number;
  /** Receives files that snapshots do not contain, each once. */
  readonly onSkipped?: (skipped: ReadonlyMap<string, SkipReason>) => void;
}

/** The snapshots of one working tree. Each is made of what has changed since the last one. */
export class FolderSnapshots {
  readonly #options: FolderSnapshotsOptions;
  readonly #reported = new Set<string>();
  #last: SnapshotCommit | null;
  /** Of the user's index, when its files were listed. */
  #indexStamp: string | null = null;
  #hidden: ReadonlySet<string> = new Set();
  #tail: Promise<unknown> = Promise.resolve();

  /** `last`: the last snapshot of the index of `plain`. */
  constructor(options: FolderSnapshotsOptions, last: SnapshotCommit | null) {
    this.#options = options;
    this.#last = last;
  }

  get last(): SnapshotCommit | null {
    return this.#last;
  }

  /** Commits all files that git does not ignore, one snapshot at a time. Without changes, the last snapshot. */
  take(title: string): Promise<SnapshotCommit> {
    const mine = this.#tail.then(() => this.#take(title));
    this.#tail = mine.catch(() => undefined);
    return mine;
  }

  /**
   * Writes the files of a snapshot to the working tree, which has none of them yet. Null: the files are there, and the
   * first snapshot reads all of them.
   */
  checkOut(commit: string | null): Promise<void> {
    return this.alone(async () => {
      const { plain } = this.#options;
      await rm(`${plain.index}.lock`, { force: true });
      const args = commit === null ? ["--empty"] : ["-u", "--reset", commit];
      await plain.git.run(["read-tree", ...args], plain.call());
    });
  }

  /** Runs `act` while no snapshot is made. */
  alone<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(act);
    this.#tail = mine.catch(() => undefined);
    return mine;
  }

  async #take(title: string): Promise<SnapshotCommit> {
    const { plain } = this.#options;
    // The lock of a git process that was killed. No other process uses this index.
    await rm(`${plain.index}.lock`, { force: true });
    const [{ head, branch }, isChanged] = await Promise.all([headOf(plain), this.#update()]);
    const last = this.#last;
    const { git, call } = plain;
    const tree =
      isChanged || last === null ? await git.run(writeTree(this.#hidden), call()) : last.tree;
    if (last !== null && tree === last.tree && head === last.head && branch === last.branch)
      return last;
    const parents = [last?.commit, head === last?.head ? null : head].filter(
      (each) => each != null,
    );
    const message = snapshotMessage(title, { head, branch });
    const commit = await git.run(
      [...["commit-tree", tree, "-m", message], ...parents.flatMap((parent) => ["-p", parent])],
      call(),
    );
    await this.#keep(commit);
    this.#last = { commit, tree, head, branch };
    return this.#last;
  }

  /** Brings the index of snapshots up to date. Returns whether it has changed. */
  async #update(): Promise<boolean> {
    const { plain, without = [], maxFileBytes = MAX_FILE_BYTES } = this.#options;
    const inside = await excludeFolders(without, plain);
    const [{ paths, ...listed }, tracked] = await Promise.all([
      changedPaths(plain, maxFileBytes),
      this.#ignoredTracked(),
    ]);
    const { skipped } = listed;
    const hidden = this.#hidden;
    const excluded = (name: string) =>
      hidden.has(name) || inside.some((folder) => name.startsWith(`${folder}/`));
    const all = [...new Set([...paths, ...tracked])].filter((name) => !excluded(name));
    const gone = listed.gone.filter((name) => !hidden.has(name));
    if (hidden.size > 0) await keepHidden(hidden, (await headOf(plain)).head, plain);
    if (gone.length > 0) await plain.git.run(REMOVE, plain.call({ input: listOf(gone) }));
    const unreadable = all.length === 0 ? [] : await addAll(all, plain);
    this.#report(skipped, unreadable);
    return all.length + gone.length + hidden.size > 0;
  }

  /** Lists them again only when the user's index has changed; their content may always have changed. */
  async #ignoredTracked(): Promise<readonly string[]> {
    const { git, repository } = this.#options.plain;
    const stamp = stampOf(path.join(repository.gitDir, "index"));
    if (stamp === this.#indexStamp) return [];
    this.#indexStamp = stamp;
    this.#hidden = await hiddenFiles({ git, repository });
    return ignoredTracked(repository, git);
  }

  #report(skipped: ReadonlyMap<string, SkipReason>, unreadable: readonly string[]): void {
    const all = new Map<string, SkipReason>([
      ...skipped,
      ...unreadable.map((name) => [name, "unreadable"] as const),
    ]);
    const fresh = new Map([...all].filter(([name]) => !this.#reported.has(name)));
    for (const name of fresh.keys()) this.#reported.add(name);
    if (fresh.size > 0) this.#options.onSkipped?.(fresh);
  }

  async #keep(commit: string): Promise<void> {
    const { plain, ref } = this.#options;
    if (ref === null) return;
    await updateRef(ref, commit, plain.repository.commonDir, plain.git);
  }
}

/** Ignores folders, in addition to what git ignores. Returns their places in the working tree. */
export async function excludeFolders(
  folders: readonly string[],
  plain: PlainGit,
): Promise<readonly string[]> {
  const inside = folders.flatMap((folder) => pathInside(plain.repository.top, folder) ?? []);
  await plain.exclude(inside.map((folder) => `/${escaped(folder)}/`));
  return inside;
}

/** Files beyond this size are not part of snapshots. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Points a ref of the repository to a commit. */
export async function updateRef(
  ref: string,
  commit: string,
  commonDir: string,
  git: Git,
): Promise<void> {
  await git.run(["update-ref", "--no-deref", ref, commit], inCommon(commonDir));
}

/** The last snapshot that a ref keeps; null: none. */
export async function lastSnapshot(ref: string, plain: PlainGit): Promise<SnapshotCommit | null> {
  const { git, repository, call } = plain;
  const commit = await commitOf(ref, repository.commonDir, git);
  return commit === null ? null : readSnapshot(commit, (args) => git.run(args, call()));
}

/** The commit of a ref or revision of the repository; null if there is none. */
export async function commitOf(
  revision: string,
  commonDir: string,
  git: Git,
): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const found = await git.try(args, inCommon(commonDir));
  return found.ok ? found.output : null;
}

/** The checked out commit and branch of a working tree. */
export async function headOf({
  git,
  repository,
}: Pick<PlainGit, "git" | "repository">): Promise<Pick<SnapshotCommit, "head" | "branch">> {
  const call = inTree(repository);
  const found = await git.try(["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"], call);
  if (found.ok) {
    const [head = "", name = ""] = found.output.split("\n");
    const branch = /^refs\/heads\/(.+)$/.exec(name)?.[1] ?? null;
    return { head, branch };
  }
  const unborn = await git.try(["symbolic-ref", "--short", "HEAD"], call);
  return { head: null, branch: unborn.ok ? unborn.output : null };
}

/** Adds files to the index. Returns those that cannot be read, which are left out. */
export async function addAll(
  paths: readonly string[],
  { git, call }: PlainGit,
): Promise<readonly string[]> {
  const args = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
  const unreadable = new Set<string>();
  for (;;) {
    const rest = paths.filter((name) => !unreadable.has(name));
    if (rest.length === 0) return [...unreadable];
    const { ok, output } = await git.try(args, call({ input: listOf(rest) }));
    if (ok) return [...unreadable];
    // The file was read, and the repository cannot store it.
    if (/failed to insert into database|unable to (write|create)/.test(output))
      throw workspaceErrors["workspace/git-failed"]("update-index", output);
    const found = UNREADABLE.exec(output)?.[1];
    const name = found === undefined ? undefined : Buffer.from(found, "utf8").toString("latin1");
    if (name === undefined || unreadable.has(name) || !rest.includes(name)) {
      throw workspaceErrors["workspace/git-failed"]("update-index", output);
    }
    unreadable.add(name);
  }
}

const REMOVE = ["update-index", "-z", "--force-remove", "--stdin"];

function listOf(paths: readonly string[]): Buffer {
  return Buffer.from(paths.map((name) => `${name}\0`).join(""), "latin1");
}

const UNREADABLE = /(?:fatal|error): Unable to process path (.+?)$/m;

/** Pattern characters of ignore files. */
function escaped(folder: string): string {
  return folder
    .split(path.sep)
    .join("/")
    .replace(/[\\*?[\]!# ]/g, "\\$&");
}

/** Changes with the file; null if it does not exist. */
function stampOf(file: string): string | null {
  if (!existsSync(file)) return null;
  const { mtimeMs, size, ino } = statSync(file);
  return `${String(mtimeMs)}:${String(size)}:${String(ino)}`;
}
