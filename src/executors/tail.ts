/** The last lines of an output, kept at a cost that does not grow with it. */
export class Tail {
  #kept: Buffer = Buffer.alloc(0);
  #cut = false;

  push(chunk: Buffer): void {
    const all = Buffer.concat([this.#kept, chunk.subarray(-MAX_BYTES)]);
    this.#cut ||= this.#kept.length + chunk.length > MAX_BYTES;
    // A copy: a slice would keep the whole chunk in memory.
    this.#kept = Buffer.from(all.subarray(-MAX_BYTES));
  }

  /** At most ten lines and 2 KiB, without blank lines at either end; invalid UTF-8 is replaced. */
  lines(): readonly string[] {
    const lines = this.#kept.toString("utf8").trimEnd().split(/\r?\n/);
    // The first one may have lost its beginning.
    if (this.#cut && lines.length > 1) lines.shift();
    const last = lines.slice(-MAX_LINES);
    const first = last.findIndex((line) => line.trim() !== "");
    return first === -1 ? [] : last.slice(first);
  }
}

const MAX_BYTES = 2 * 1024;
const MAX_LINES = 10;
