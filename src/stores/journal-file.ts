import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import type { JournalRecord } from "../core/machine/journal.ts";
import type { Journal } from "../ports/journal.ts";

/**
 * The journal of a run, `.raymond/runs/<id>/journal.jsonl`: one save a line. A
 * line goes to the system's memory before the save begins, so that a killed
 * raymond loses none; nothing waits for the disk. Where it cannot be written
 * that is one call of `warn`, and a gap.
 */
export function journalFile(
  file: string,
  warn: (message: string) => void,
): Journal & { close(): void } {
  let handle: number | null = null;
  let warned = false;
  return {
    append(record) {
      try {
        handle ??= openWhole(file);
        write(handle, record);
      } catch (error) {
        if (warned) return;
        warned = true;
        const reason = error instanceof Error ? error.message : String(error);
        warn(`The journal ${file} cannot be written, so it has gaps: ${reason}.`);
      }
    },
    close() {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}

function write(handle: number, record: JournalRecord): void {
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  for (let done = 0; done < line.length; ) done += writeSync(handle, line, done);
}

/** Opens it for appending; a line that a crash has torn is ended first. */
function openWhole(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = openSync(file, "a+", 0o600);
  const { size } = fstatSync(handle);
  const last = Buffer.alloc(1);
  if (size > 0) readSync(handle, last, 0, 1, size - 1);
  if (size > 0 && last[0] !== NEWLINE) writeSync(handle, "\n");
  return handle;
}

const NEWLINE = 10;
