import { closeSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { BackgroundQueue, MAX_WAITING } from "./background-queue.ts";
import { appendTo, openPrivate } from "./private-file.ts";

export interface OutputFileOptions {
  /** Bytes kept in all: the first and the last half. */
  readonly maxBytes: number;
  /** The line that stands where bytes were left out, with its line end. */
  leftOut(bytes: number): string;
  /** Told of each failure; what could not be written is lost. */
  failed(error: unknown): void;
}

/**
 * The output of a process on disk, however long: its first and its last part,
 * with a line between them that says what is missing. O1: a chunk costs the
 * caller no time and, once written, no memory. O2: the file is created by the first chunk.
 * O3: while it is written, the last part lies in a ring beside it
 * (`FILE.tail`), which {@link close} puts in order and removes.
 */
export class OutputFile {
  readonly #path: string;
  readonly #options: OutputFileOptions;
  readonly #queue: BackgroundQueue;
  readonly #headMax: number;
  readonly #ringMax: number;
  #head: number | null = null;
  #headBytes = 0;
  #ring: FileHandle | null = null;
  #ringBytes = 0;
  #closed = false;

  constructor(path: string, options: OutputFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#headMax = Math.ceil(options.maxBytes / 2);
    this.#ringMax = Math.max(1, options.maxBytes - this.#headMax);
    this.#queue = new BackgroundQueue({
      write: (batch) => this.#write(batch),
      failed: (error) => {
        options.failed(error);
      },
      maxBytes: MAX_WAITING,
      lost: (bytes) => options.leftOut(bytes),
    });
  }

  /** Adds a chunk. Never throws; after {@link close} it does nothing. */
  push(chunk: string | Uint8Array): void {
    if (!this.#closed) this.#queue.push(chunk);
  }

  /** Writes out what waits and puts the last part in its place. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.drain();
    try {
      if (this.#ring !== null && this.#head !== null) await this.#join(this.#head, this.#ring);
    } catch (error) {
      this.#options.failed(error);
    }
    await this.#ring?.close().catch(() => undefined);
    this.#ring = null;
    if (this.#head === null) return;
    const head = this.#head;
    this.#head = null;
    try {
      closeSync(head);
    } catch {
      // Everything is written by now.
    }
  }

  async #write(batch: Buffer): Promise<void> {
    this.#head ??= await openPrivate(this.#path);
    const room = this.#ringBytes > 0 ? 0 : this.#headMax - this.#headBytes;
    const first = batch.length <= room ? batch.length : lineEndBefore(batch, room);
    if (first > 0) {
      await appendTo(this.#head, batch.subarray(0, first));
      this.#headBytes += first;
    }
    if (first < batch.length) await this.#writeRing(batch.subarray(first));
  }

  async #writeRing(data: Buffer): Promise<void> {
    this.#ring ??= await open(`${this.#path}.tail`, "w+", 0o600);
    // Of more than a ring full only the end would survive.
    const skipped = Math.max(0, data.length - this.#ringMax);
    this.#ringBytes += skipped;
    for (let done = skipped; done < data.length; ) {
      const position = this.#ringBytes % this.#ringMax;
      const length = Math.min(data.length - done, this.#ringMax - position);
      await writeAll(this.#ring, data.subarray(done, done + length), position);
      this.#ringBytes += length;
      done += length;
    }
  }

  async #join(head: number, ring: FileHandle): Promise<void> {
    const kept = Math.min(this.#ringBytes, this.#ringMax);
    let missing = this.#ringBytes - kept;
    let position = this.#ringBytes % this.#ringMax;
    if (missing === 0) position = 0;
    for (let copied = 0; copied < kept; ) {
      const length = Math.min(BLOCK, kept - copied, this.#ringMax - position);
      let { buffer: part } = await ring.read(Buffer.alloc(length), 0, length, position);
      if (copied === 0 && missing > 0) {
        // What is left of a line that began in the gap is no line.
        const begin = part.indexOf(NEWLINE) + 1;
        missing += begin;
        part = part.subarray(begin);
        await appendTo(head, Buffer.from(this.#options.leftOut(missing)));
      }
      await appendTo(head, part);
      copied += length;
      position = (position + length) % this.#ringMax;
    }
    await rm(`${this.#path}.tail`, { force: true });
  }
}

const BLOCK = 1024 * 1024;
const NEWLINE = 10;

/** Where to cut so that whole lines come first; in the middle of a line only if it alone is too long. */
function lineEndBefore(data: Buffer, limit: number): number {
  if (limit <= 0) return 0;
  const end = data.lastIndexOf(NEWLINE, limit - 1) + 1;
  return end === 0 ? limit : end;
}

async function writeAll(file: FileHandle, data: Buffer, position: number): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await file.write(data, done, data.length - done, position + done);
    done += bytesWritten;
  }
}
