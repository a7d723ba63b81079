import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { until } from "../../support/until.ts";

/** Files below a folder by relative path: inode, modification time and content. */
export type Snapshot = Readonly<Record<string, string>>;

/** The current files below a folder, without those that disappear during the scan. */
export async function snapshot(folder: string): Promise<Snapshot> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const described = await Promise.all(
    files.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const found = await stat(file).catch(() => null);
      if (found === null) return [];
      const hash = createHash("sha256")
        .update(await readFile(file))
        .digest("hex");
      const { ino, mtimeMs, mode } = found;
      return [[path.relative(folder, file), [ino, mtimeMs, mode, hash].join(" ")] as const];
    }),
  );
  return Object.fromEntries(described.flat());
}

/** A snapshot after 100 ms without changes. */
export async function quietSnapshot(folder: string): Promise<Snapshot> {
  return until(`${folder} to be quiet`, async () => {
    const before = await snapshot(folder);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const after = await snapshot(folder);
    return differences(before, after).length === 0 ? after : undefined;
  });
}

/** Added, deleted and changed files between two snapshots. */
export function differences(before: Snapshot, after: Snapshot): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]);
}
