/** Keeps the last `limit` bytes of what it is given. */
export class Tail {
  readonly #limit: number;
  #kept: Buffer = Buffer.alloc(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const joined = Buffer.concat([this.#kept, chunk.subarray(-this.#limit)]);
    this.#kept = joined.subarray(-this.#limit);
  }

  toString(): string {
    return this.#kept.toString("utf8");
  }
}
