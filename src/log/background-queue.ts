export interface QueueOptions {
  /** Writes one batch. If it rejects, the batch is lost and the queue continues. */
  readonly write: (batch: Buffer) => Promise<void>;
  /** Called for each rejection. */
  readonly failed: (error: unknown) => void;
  /** Maximum pending bytes. Further data is dropped and replaced by the text of `lost`. */
  readonly maxBytes: number;
  /** Text in place of dropped bytes. */
  readonly lost: (bytes: number) => string;
}

/**
 * Writes data in the background.
 *
 * Q1  `push` returns immediately and never throws.
 * Q2  At most one write at a time, in the order of the calls.
 * Q3  Pending data is limited.
 * Q4  `drain` never rejects.
 */
export class BackgroundQueue {
  readonly #options: QueueOptions;
  #pending: Uint8Array[] = [];
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

  /** Resolves when all data is written or lost. */
  async drain(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // More data may follow in this turn, and the save of the state goes first.
    await new Promise(setImmediate);
    while (this.#bytes > 0 || this.#dropped > 0) {
      if (this.#bytes === 0) this.#noteDropped();
      const batch = Buffer.concat(this.#pending);
      this.#pending = [];
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
    this.#pending.push(chunk);
    this.#bytes += chunk.length;
  }

  #noteDropped(): void {
    if (this.#dropped === 0) return;
    const note = Buffer.from(this.#options.lost(this.#dropped));
    this.#dropped = 0;
    if (note.length > 0) this.#append(note);
  }
}

/** Default limit of pending data, bytes. */
export const MAX_PENDING = 16 * 1024 * 1024;
