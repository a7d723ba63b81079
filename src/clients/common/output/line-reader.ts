/** Maximum line length, bytes. Lines of the client are far shorter. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface LineSink {
  /** One line without its line end. Invalid UTF-8 becomes U+FFFD. */
  line(text: string): void;
  /** A line exceeded the limit and is dropped. */
  tooLong(bytes: number): void;
}

/** Splits a byte stream into lines, independent of the chunks. Buffers at most one line of at most `limit` bytes. */
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

  /** Emits a last line without a line end. */
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
