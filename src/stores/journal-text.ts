import { stat } from "node:fs/promises";
import { LIMITS, readTextFile } from "../files/read-file.ts";

/** Where the older file of a journal lies, once there are two. */
export function olderJournal(file: string): string {
  return file.replace(/\.jsonl$/, ".older.jsonl");
}

/**
 * All that there is of a journal, the older file first; null where there is
 * none that can be read. The run may go on meanwhile.
 */
export async function journalText(file: string): Promise<string | null> {
  for (;;) {
    const before = await markOf(olderJournal(file));
    const older = await textOf(olderJournal(file));
    const newer = await textOf(file);
    // The newer has become the older one meanwhile: then what was read has a gap.
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
