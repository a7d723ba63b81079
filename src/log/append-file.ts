import { closeSync, fstatSync } from "node:fs";
import { BackgroundQueue, MAX_PENDING } from "./background-queue.ts";
import { appendTo, openPrivate } from "./private-file.ts";

/**
 * A file to which lines are appended in the background (mode 0600, folder 0700). Created on the first line, and again if
 * it is deleted. A failed write loses lines and calls `failed`; later lines start on a new line.
 */
export class AppendFile {
  readonly #path: string;
  readonly #queue: BackgroundQueue;
  #file: number | null = null;
  #torn: boolean;
  #closed = false;

  /** `torn`: the file does not end with a line end. */
  constructor(path: string, failed: (error: unknown) => void, torn = false) {
    this.#path = path;
    this.#torn = torn;
    this.#queue = new BackgroundQueue({
      write: (batch) => this.#write(batch),
      failed,
      maxBytes: MAX_PENDING,
      lost: () => "",
    });
  }

  /** Appends text that ends with a line end. Never throws. No effect after {@link close}. */
  append(text: string): void {
    if (!this.#closed) this.#queue.push(text);
  }

  /** Writes all pending text. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.drain();
    if (this.#file === null) return;
    const file = this.#file;
    this.#file = null;
    try {
      closeSync(file);
    } catch {
      // Everything is written.
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

/** Whether the file was deleted. */
function isRemoved(file: number): boolean {
  return fstatSync(file).nlink === 0;
}

const LINE_END = Buffer.from("\n");
