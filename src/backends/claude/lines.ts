/** Longest line that is read, bytes; the client's own lines stay far below. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Receives what {@link LineReader} finds. */
export interface LineSink {
  /** One line without its line end; invalid UTF-8 stands as U+FFFD. */
  line(text: string): void;
  /** A line was longer than the limit, and is given up. */
  tooLong(bytes: number): void;
}

/**
 * Cuts a stream of bytes into lines. The result does not depend on how the
 * bytes were cut into chunks; at most one line, of at most `limit` bytes, is
 * held.
 */
export class LineReader {
  readonly #sink: LineSink;
  readonly #limit: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(sink: LineSink, limit = MAX_LINE_BYTES) {
    this.#sink = sink;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#release();
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** Hands out a last line that has no line end. */
  end(): void {
    if (this.#bytes > 0) this.#release();
  }

  #hold(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#limit) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #release(): void {
    const [parts, bytes] = [this.#parts, this.#bytes];
    this.#parts = [];
    this.#bytes = 0;
    if (bytes > this.#limit) {
      this.#sink.tooLong(bytes);
      return;
    }
    const text = Buffer.concat(parts, bytes).toString("utf8");
    this.#sink.line(text.endsWith("\r") ? text.slice(0, -1) : text);
  }
}
