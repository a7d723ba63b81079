export interface QueueOptions {
  /** Writes one batch. May reject: the batch is lost then, and the queue goes on. */
  write(batch: Buffer): Promise<void>;
  /** Told of each rejection. */
  failed(error: unknown): void;
  /** Bytes that may wait; what comes beyond is dropped, and `lost` says so in its place. */
  readonly maxBytes: number;
  /** What is written where bytes were dropped because the disk did not keep up. */
  lost(bytes: number): string;
}

/**
 * Data on its way to a disk, beside the work. Q1: `push` returns at once and
 * never throws. Q2: at most one write at a time, in the order of pushing.
 * Q3: what waits is bounded. Q4: `drain` never rejects.
 */
export class BackgroundQueue {
  readonly #options: QueueOptions;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #dropped = 0;
  #running: Promise<void> | null = null;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  push(data: string | Uint8Array): void {
    const chunk = typeof data === "string" ? Buffer.from(data) : data;
    if (chunk.length === 0) return;
    if (this.#bytes > 0 && this.#bytes + chunk.length > this.#options.maxBytes) {
      this.#dropped += chunk.length;
    } else {
      this.#noteDropped();
      this.#append(chunk);
    }
    this.#running ??= this.#run();
  }

  /** Resolves when all that was pushed is written or lost. */
  async drain(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Later in this turn more may come, and the state's own write goes first.
    await new Promise(setImmediate);
    while (this.#bytes > 0 || this.#dropped > 0) {
      if (this.#bytes === 0) this.#noteDropped();
      const batch = Buffer.concat(this.#waiting);
      this.#waiting = [];
      this.#bytes = 0;
      try {
        await this.#options.write(batch);
      } catch (error) {
        this.#options.failed(error);
      }
    }
    this.#running = null;
  }

  #append(chunk: Uint8Array): void {
    this.#waiting.push(chunk);
    this.#bytes += chunk.length;
  }

  #noteDropped(): void {
    if (this.#dropped === 0) return;
    const note = Buffer.from(this.#options.lost(this.#dropped));
    this.#dropped = 0;
    if (note.length > 0) this.#append(note);
  }
}

/** What may wait for a disk that is slower than what is written, bytes. */
export const MAX_WAITING = 16 * 1024 * 1024;
