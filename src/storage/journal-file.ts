import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Journal } from "../engine/ports/journal.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { warnOnce } from "../language/basics/warn-once.ts";
import { baseRecord, type JournalRecord } from "../machine/record/journal.ts";

/** Size limit of one journal file, of which there are at most two: about 10,000 steps, readable in seconds. */
export const MAX_JOURNAL_BYTES = 16 * 1024 * 1024;

/**
 * The journal of a run, `.raymond/runs/<id>/journal.jsonl`: one line per save. A line is written to the page cache
 * before the save starts, so a killed process loses none. There is no fsync. The first write error is reported by
 * `warn`; the journal then has gaps.
 *
 * J1  A file that reaches `maxBytes` replaces the older file in one rename. The next file starts with the state that
 *     this one led to.
 * J2  So at any crash point the files, one after the other, lead to the state of the last save. The next process
 *     starts with the state that it finds.
 */
export function journalFile(
  file: string,
  warn: (message: string) => void,
  maxBytes: number = MAX_JOURNAL_BYTES,
): Journal & { close(): void } {
  let open: { readonly handle: number; bytes: number } | null = null;
  const failed = warnOnce(
    warn,
    (reason) => `Cannot write the journal ${file}, so it has gaps: ${reason}.`,
  );
  const add = (record: JournalRecord): number => {
    open ??= openForAppend(file);
    open.bytes += write(open.handle, record);
    return open.bytes;
  };
  const close = () => {
    if (open !== null) closeSync(open.handle);
    open = null;
  };
  return {
    append(record, run) {
      try {
        if (add(record) < maxBytes) return;
        close();
        renameSync(file, olderJournal(file));
        add(baseRecord(run));
      } catch (error) {
        failed(error);
      }
    },
    close,
  };
}

/** Returns the number of bytes. */
function write(handle: number, record: JournalRecord): number {
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  for (let done = 0; done < line.length; ) done += writeSync(handle, line, done);
  return line.length;
}

/** Opens the file for appending. A line that a crash has torn gets a line end. */
function openForAppend(file: string): { readonly handle: number; bytes: number } {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = openSync(file, "a+", 0o600);
  const { size: bytes } = fstatSync(handle);
  const last = Buffer.alloc(1);
  if (bytes > 0) readSync(handle, last, 0, 1, bytes - 1);
  if (bytes > 0 && last[0] !== NEWLINE) writeSync(handle, "\n");
  return { handle, bytes };
}

const NEWLINE = 10;

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
