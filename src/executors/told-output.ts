/**
 * One output of a script as it is told while the script runs: whole lines, as
 * soon as they are there. Past {@link MAX_TOLD} characters it only counts, and
 * says at the end how many were left out; the debug files have them all.
 */
export class ToldOutput {
  readonly #tell: (text: string) => void;
  #pending = "";
  #told = 0;
  #leftOut = 0;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  push(text: string): void {
    const room = Math.max(0, MAX_TOLD - this.#told - this.#pending.length);
    this.#leftOut += Math.max(0, text.length - room);
    if (room === 0) return;
    this.#pending += text.slice(0, room);
    const end = this.#pending.lastIndexOf("\n");
    // A line without an end is told in pieces: a progress bar may never end one.
    if (end === -1 && this.#pending.length < MAX_LINE) return;
    this.#flush(end === -1 ? this.#pending.length : end + 1);
  }

  /** The output is over. */
  end(): void {
    this.#flush(this.#pending.length);
    if (this.#leftOut > 0) this.#tell(`… ${String(this.#leftOut)} more characters`);
    this.#leftOut = 0;
  }

  #flush(length: number): void {
    const text = this.#pending.slice(0, length).replace(/\r?\n$/, "");
    this.#pending = this.#pending.slice(length);
    this.#told += length;
    if (text.trim() !== "") this.#tell(text);
  }
}

/** Characters of one output of one attempt. */
const MAX_TOLD = 64 * 1024;
const MAX_LINE = 4 * 1024;
