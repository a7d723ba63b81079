import type { PlainGit } from "./plain-git.ts";

/** The difference between two trees. Binary files have no lines. */
export interface Changes {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export interface FileChange {
  readonly file: string;
  /** Null: binary. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly kind: "added" | "deleted" | "modified";
}

export const NO_CHANGES: Changes = { files: 0, added: 0, removed: 0 };

/** The changed files between two commits or trees, without renames. */
export async function fileChanges(
  from: string,
  to: string,
  { git, call }: Pick<PlainGit, "git" | "call">,
): Promise<readonly FileChange[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--numstat", "--raw", "--no-abbrev"];
  const safe = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
  const output = await git.run([...args, ...safe, "--end-of-options", from, to, "--"], call());
  const fields = output.split("\0");
  const kinds = new Map<string, FileChange["kind"]>();
  const changes: FileChange[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? "";
    if (field.startsWith(":")) {
      at += 1;
      kinds.set(fields[at] ?? "", KINDS[field.at(-1) ?? ""] ?? "modified");
      continue;
    }
    const [, added, removed, file] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    if (added === undefined || removed === undefined || file === undefined) continue;
    const kind = kinds.get(file) ?? "modified";
    changes.push({ file, kind, added: lines(added), removed: lines(removed) });
  }
  return changes;
}

export function sumOf(changes: readonly FileChange[]): Changes {
  return changes.reduce(
    ({ files, added, removed }, change) => ({
      files: files + 1,
      added: added + (change.added ?? 0),
      removed: removed + (change.removed ?? 0),
    }),
    NO_CHANGES,
  );
}

const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

function lines(text: string): number | null {
  return text === "-" ? null : Number(text);
}
