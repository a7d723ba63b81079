import { lstat } from "node:fs/promises";
import path from "node:path";
import { type FileChange, fileChanges } from "./changes.ts";
import { workspaceErrors } from "./errors.ts";
import type { FolderSnapshots } from "./folder-snapshots.ts";
import type { PlainGit } from "./plain-git.ts";
import type { SnapshotCommit } from "./snapshot-commit.ts";

/** A restore that is ready: the files as they are now are saved. */
export interface PreparedRestore {
  readonly saved: SnapshotCommit;
  readonly changes: readonly FileChange[];
  /** The number of other files that differ. */
  readonly others: number;
  /**
   * Replaces the files. Rejects with `workspace/files-in-the-way`, and changes nothing, if a file was changed after it
   * was saved, or if a file that git ignores would be overwritten.
   */
  readonly apply: () => Promise<void>;
}

/** Saves the files of a working tree, and compares them with another snapshot. `only`: these files; null: all. */
export async function prepareRestore(
  { commit, only }: { readonly commit: string; readonly only: ReadonlySet<string> | null },
  title: string,
  snapshots: FolderSnapshots,
  plain: PlainGit,
): Promise<PreparedRestore> {
  const saved = await snapshots.take(title);
  const target = only === null ? commit : await treeWith(only, saved.commit, commit, plain);
  const changes = await fileChanges(saved.commit, target, plain);
  const all = only === null ? changes : await fileChanges(saved.commit, commit, plain);
  return {
    saved,
    changes,
    others: all.length - changes.length,
    apply: () =>
      snapshots.alone(async () => {
        const inTheWay = await filesInTheWay(changes, plain);
        if (inTheWay.length > 0) {
          const names = inTheWay.slice(0, SHOWN).join(", ");
          throw workspaceErrors["workspace/files-in-the-way"](
            plain.repository.top,
            `it would replace files that git ignores or that are too large for snapshots: ${names}`,
          );
        }
        const args = ["read-tree", "-m", "-u", saved.commit, target];
        const { ok, output } = await plain.git.try(args, plain.call());
        if (!ok) throw workspaceErrors["workspace/files-in-the-way"](plain.repository.top, output);
      }),
  };
}

const SHOWN = 5;

/** A tree with the files of `from`, except for those in `names`, which are as in `to`. */
async function treeWith(
  names: ReadonlySet<string>,
  from: string,
  to: string,
  { git, index, call }: PlainGit,
): Promise<string> {
  const env = { GIT_INDEX_FILE: `${index}-target` };
  const raw = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"];
  const listed = await git.run([...raw, "--end-of-options", from, to, "--"], call({ bytes: true }));
  const fields = listed.split("\0");
  const lines: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = "", , object = ""] = (fields[at] ?? "").slice(1).split(" ");
    const name = fields[at + 1] ?? "";
    if (!names.has(Buffer.from(name, "latin1").toString("utf8"))) continue;
    lines.push(`${mode === "000000" ? "0" : mode} ${object}\t${name}\0`);
  }
  await git.run(["read-tree", from], call({ env }));
  const input = Buffer.from(lines.join(""), "latin1");
  await git.run(["update-index", "-z", "--index-info"], call({ env, input }));
  // A partial clone may lack objects of files outside of a sparse checkout.
  return git.run(["write-tree", "--missing-ok"], call({ env }));
}

/** Existing files that no snapshot contains, where the restore adds files. Git would overwrite them. */
async function filesInTheWay(
  changes: readonly FileChange[],
  { git, repository, call }: PlainGit,
): Promise<readonly string[]> {
  const added = changes.filter(({ kind }) => kind === "added").map(({ file }) => file);
  const deleted = new Set(changes.flatMap(({ kind, file }) => (kind === "deleted" ? file : [])));
  const found: string[] = [];
  for (const file of added) {
    const entry = await firstNoFolder(repository.top, file);
    if (entry === null || deleted.has(entry.file)) continue;
    if (!entry.isFolder) found.push(entry.file);
    else {
      const args = ["ls-files", "-z", "--others", "--", entry.file];
      const others = (await git.run(args, call())).split("\0").filter((name) => name !== "");
      found.push(...others);
    }
  }
  return found;
}

/** The first part of a path that exists and is no folder, or the path itself; null if nothing exists there. */
async function firstNoFolder(
  top: string,
  file: string,
): Promise<{ readonly file: string; readonly isFolder: boolean } | null> {
  const parts = file.split("/");
  for (const count of parts.keys()) {
    const part = parts.slice(0, count + 1).join("/");
    const found = await lstat(path.join(top, part)).catch(() => null);
    if (found === null) return null;
    if (!found.isDirectory() || part === file) return { file: part, isFolder: found.isDirectory() };
  }
  return null;
}
