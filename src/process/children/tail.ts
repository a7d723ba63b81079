/** The last `limit` bytes of an output, at constant cost. */
export class Tail {
  readonly #limit: number;
  #kept: Buffer = Buffer.alloc(0);
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const all = Buffer.concat([this.#kept, chunk.subarray(-this.#limit)]);
    this.#cut ||= this.#kept.length + chunk.length > this.#limit;
    // A copy: a slice would keep the whole chunk in memory.
    this.#kept = Buffer.from(all.subarray(-this.#limit));
  }

  /** Invalid UTF-8 is replaced. */
  toString(): string {
    return this.#kept.toString("utf8");
  }

  /** The last `most` complete lines, without blank lines at either end. */
  lines(most: number): readonly string[] {
    const lines = this.toString().trimEnd().split(/\r?\n/);
    // The first line may be cut.
    if (this.#cut && lines.length > 1) lines.shift();
    const last = lines.slice(-most);
    const first = last.findIndex((line) => line.trim() !== "");
    return first === -1 ? [] : last.slice(first);
  }
}
