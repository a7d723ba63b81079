/**
 * Reports one output stream of a running script, in whole lines. After {@link MAX_REPORTED}
 * characters it only counts, and reports the number of omitted characters at the end. The debug
 * files contain the complete output.
 */
export class OutputReporter {
  readonly #report: (text: string) => void;
  #pending = "";
  #reported = 0;
  #omitted = 0;

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  push(text: string): void {
    const room = Math.max(0, MAX_REPORTED - this.#reported - this.#pending.length);
    this.#omitted += Math.max(0, text.length - room);
    if (room === 0) return;
    this.#pending += text.slice(0, room);
    const end = this.#pending.lastIndexOf("\n");
    // A long line is reported in pieces: a progress bar may never end its line.
    if (end === -1 && this.#pending.length < MAX_LINE) return;
    this.#flush(end === -1 ? this.#pending.length : end + 1);
  }

  end(): void {
    this.#flush(this.#pending.length);
    if (this.#omitted > 0) this.#report(`… ${String(this.#omitted)} more characters`);
    this.#omitted = 0;
  }

  #flush(length: number): void {
    const text = this.#pending.slice(0, length).replace(/\r?\n$/, "");
    this.#pending = this.#pending.slice(length);
    this.#reported += length;
    if (text.trim() !== "") this.#report(text);
  }
}

/** Characters per stream and attempt. */
const MAX_REPORTED = 64 * 1024;
const MAX_LINE = 4 * 1024;
