import { closeSync, fstatSync } from "node:fs";
import { BackgroundQueue, MAX_WAITING } from "./background-queue.ts";
import { appendTo, openPrivate } from "./private-file.ts";

/**
 * A file of lines that is only added to, in the background, private to its
 * owner (0600, its folder 0700). It is created when the first line comes. A
 * write that fails loses lines and is told to `failed`; later lines are tried
 * again, on a line of their own. Where somebody removes the file it is created
 * again.
 */
export class AppendFile {
  readonly #path: string;
  readonly #queue: BackgroundQueue;
  #file: number | null = null;
  #torn: boolean;
  #closed = false;

  /** `torn`: the file as it is ends within a line. */
  constructor(path: string, failed: (error: unknown) => void, torn = false) {
    this.#path = path;
    this.#torn = torn;
    this.#queue = new BackgroundQueue({
      write: (batch) => this.#write(batch),
      failed,
      maxBytes: MAX_WAITING,
      lost: () => "",
    });
  }

  /** Adds text that ends with a line end. Never throws; after {@link close} it does nothing. */
  append(text: string): void {
    if (!this.#closed) this.#queue.push(text);
  }

  /** Writes out what waits. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.drain();
    if (this.#file === null) return;
    const file = this.#file;
    this.#file = null;
    try {
      closeSync(file);
    } catch {
      // Everything is written by now: what closing could still fail at is of no use to anyone.
    }
  }

  async #write(batch: Buffer): Promise<void> {
    if (this.#file !== null && isRemoved(this.#file)) {
      closeSync(this.#file);
      this.#file = null;
      this.#torn = false;
    }
    this.#file ??= await openPrivate(this.#path);
    const whole = this.#torn ? Buffer.concat([LINE_END, batch]) : batch;
    this.#torn = true;
    await appendTo(this.#file, whole);
    this.#torn = false;
  }
}

/** Whether nobody could find what is written to this file. */
function isRemoved(file: number): boolean {
  return fstatSync(file).nlink === 0;
}

const LINE_END = Buffer.from("\n");
