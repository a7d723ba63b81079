import { stat } from "node:fs/promises";
import { LIMITS, readTextFile } from "../../files/read-file.ts";

/** The path of the older file of a journal. */
export function olderJournal(file: string): string {
  return file.replace(/\.jsonl$/, ".older.jsonl");
}

/** The whole journal, the older file first; null if it cannot be read. The run may write to it at the same time. */
export async function journalText(file: string): Promise<string | null> {
  for (;;) {
    const before = await markOf(olderJournal(file));
    const older = await textOf(olderJournal(file));
    const newer = await textOf(file);
    // The files were rotated while reading, so the text would have a gap.
    if ((await markOf(olderJournal(file))) !== before) continue;
    return older === null ? newer : older + (newer ?? "");
  }
}

async function textOf(file: string): Promise<string | null> {
  return readTextFile(file, LIMITS.log).catch(() => null);
}

async function markOf(file: string): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  return found && [found.ino, found.size, found.mtimeMs].join();
}
