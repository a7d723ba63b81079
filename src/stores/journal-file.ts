import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { baseRecord, type JournalRecord } from "../core/machine/journal.ts";
import type { Journal } from "../ports/journal.ts";
import { olderJournal } from "./journal-text.ts";

/**
 * So many bytes, 16 MiB, are one file of a journal, and there are two at most: some ten
 * thousand steps, which a command that folds them all still reads in seconds.
 */
export const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The journal of a run, `.raymond/runs/<id>/journal.jsonl`: one save a line. A
 * line goes to the system's memory before the save begins, so that a killed
 * raymond loses none; nothing waits for the disk. Where it cannot be written
 * that is one call of `warn`, and a gap.
 *
 * J1. A file that has grown to `most` bytes takes the place of the older one,
 *     in one rename, and the next begins with the state that this one led to.
 * J2. So whichever of these moments is the last of a raymond: the files, one
 *     after the other, lead to the state of the last save, and the next raymond
 *     begins with the state that it finds.
 */
export function journalFile(
  file: string,
  warn: (message: string) => void,
  most: number = MOST_BYTES,
): Journal & { close(): void } {
  let open: { readonly handle: number; bytes: number } | null = null;
  let warned = false;
  const add = (record: JournalRecord): number => {
    open ??= openWhole(file);
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
        if (add(record) < most) return;
        close();
        renameSync(file, olderJournal(file));
        add(baseRecord(run));
      } catch (error) {
        if (warned) return;
        warned = true;
        const reason = error instanceof Error ? error.message : String(error);
        warn(`The journal ${file} cannot be written, so it has gaps: ${reason}.`);
      }
    },
    close,
  };
}

/** Returns how many bytes it was. */
function write(handle: number, record: JournalRecord): number {
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  for (let done = 0; done < line.length; ) done += writeSync(handle, line, done);
  return line.length;
}

/** Opens it for appending; a line that a crash has torn is ended first. */
function openWhole(file: string): { readonly handle: number; bytes: number } {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = openSync(file, "a+", 0o600);
  const { size: bytes } = fstatSync(handle);
  const last = Buffer.alloc(1);
  if (bytes > 0) readSync(handle, last, 0, 1, bytes - 1);
  if (bytes > 0 && last[0] !== NEWLINE) writeSync(handle, "\n");
  return { handle, bytes };
}

const NEWLINE = 10;
