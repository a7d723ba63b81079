import { closeSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { BackgroundQueue, MAX_PENDING } from "./background-queue.ts";
import { appendTo, openPrivate } from "./private-file.ts";

export interface OutputFileOptions {
  /** Maximum size: the first and the last half of the output. */
  readonly maxBytes: number;
  /** The line in place of omitted bytes, with its line end. */
  readonly leftOut: (bytes: number) => string;
  /** Called for each failed write, whose data is lost. */
  readonly failed: (error: unknown) => void;
}

/**
 * Stores the first and the last part of a process output of any size, with a line about the omitted bytes.
 *
 * O1  A chunk blocks the caller for no time and needs no memory once written.
 * O2  The first chunk creates the file.
 * O3  During the process the last part is in a ring buffer file (`FILE.tail`), which {@link close} appends and deletes.
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
      failed: options.failed,
      maxBytes: MAX_PENDING,
      lost: options.leftOut,
    });
  }

  /** Never throws. No effect after {@link close}. */
  push(chunk: string | Uint8Array): void {
    if (!this.#closed) this.#queue.push(chunk);
  }

  /** Writes all pending data and appends the last part. Never rejects. */
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
      // Everything is written.
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
    // Only the end of the data fits into the ring.
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
        // Skip the rest of a line that starts in the omitted part.
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

/** The end of the last line before `limit`; `limit` itself if a single line is longer. */
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
