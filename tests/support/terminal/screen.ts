import { StringDecoder } from "node:string_decoder";

/**
 * A terminal emulator for the live view. Throws on unsupported escape sequences.
 */
export class FakeScreen {
  #columns: number;
  #rows: number;
  #lines: Line[] = [[]];
  #row = 0;
  #column = 0;
  #breaks = true;
  #pending = "";
  readonly #decoder = new StringDecoder();
  /** The first line of the screen. */
  #top = 0;
  /** Output that it still accepts, bytes. */
  room = Number.POSITIVE_INFINITY;
  /** As tmux does: wrapped lines push lines into the scrollback, where they cannot be erased. */
  isTmux = false;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  size = () => ({ columns: this.#columns, rows: this.#rows });

  /** Changes the size and wraps long lines. */
  reflow(columns: number, rows: number): void {
    const above = this.#lines.slice(0, this.#row);
    const broken = above.flatMap((line) => partsOf(line, columns));
    if (this.isTmux) this.#top += broken.length - above.length;
    this.#lines = [...broken, ...this.#lines.slice(this.#row)];
    this.#row = broken.length;
    this.#columns = columns;
    this.#rows = rows;
  }

  isOurs = () => true;

  write = (bytes: Uint8Array): number => {
    const accepted = bytes.subarray(0, Math.min(bytes.length, this.room));
    this.room -= accepted.length;
    this.#pending += this.#decoder.write(Buffer.from(accepted));
    // An incomplete sequence is handled with the next chunk.
    const last = this.#pending.lastIndexOf("\u001B");
    const isCut = last !== -1 && !SEQUENCE.test(this.#pending.slice(last + 2));
    const whole = isCut ? this.#pending.slice(0, last) : this.#pending;
    this.#pending = this.#pending.slice(whole.length);
    this.show(whole);
    return accepted.length;
  };

  /** Processes output. */
  show(text: string): void {
    const [plain = "", ...sequences] = text.split("\u001B[");
    for (const character of plain) this.#print(character);
    for (const sequence of sequences) {
      const [, arguments_ = "", command = "", rest = ""] = SEQUENCE.exec(sequence) ?? [];
      this.#obey(arguments_, command);
      for (const character of rest) this.#print(character);
    }
  }

  /** All lines including the scrollback, right-trimmed. */
  lines(): readonly string[] {
    const lines = this.#lines.map((line) =>
      Array.from(line, (each) => each ?? " ")
        .join("")
        .trimEnd(),
    );
    const last = lines.findLastIndex((line) => line !== "");
    return lines.slice(0, last + 1);
  }

  #print(character: string): void {
    if (character === "\n") {
      this.#row += 1;
      this.#column = 0;
    } else if (character === "\r") {
      this.#column = 0;
    } else {
      if (character < " ")
        throw new Error(`A control character was written: ${JSON.stringify(character)}`);
      if (this.#column >= this.#columns) {
        if (!this.#breaks) return;
        this.#row += 1;
        this.#column = 0;
      }
      this.#line(this.#row)[this.#column] = character;
      this.#column += 1;
    }
    this.#line(this.#row);
  }

  #obey(text: string, command: string): void {
    const count = Number(text === "" ? "1" : text);
    const line = this.#line(this.#row);
    if (text.startsWith("?")) {
      if (text === "?7") this.#breaks = command === "h";
      return;
    }
    switch (command) {
      case "A":
        this.#row = Math.max(this.#top, this.#row - count);
        return;
      case "B":
        this.#row += count;
        return;
      case "G":
        this.#column = count - 1;
        return;
      case "K":
        if (text === "2") line.length = 0;
        else line.length = Math.min(line.length, this.#cell());
        return;
      case "J":
        if (this.isTmux && this.#row === this.#top && this.#column === 0) {
          this.#top = this.#row = this.#lines.length;
          return;
        }
        line.length = Math.min(line.length, this.#cell());
        this.#lines.length = this.#row + 1;
        return;
      case "m":
        return;
      default:
        throw new Error(`An unknown sequence was written: ${text}${command}`);
    }
  }

  /** The cursor column: after a full line it stays on the last character until the next one is written. */
  #cell(): number {
    return Math.min(this.#column, this.#columns - 1);
  }

  #line(row: number): Line {
    while (this.#lines.length <= row) this.#lines.push([]);
    return this.#lines[row] ?? [];
  }
}

/** Undefined: skipped by the cursor. */
type Line = (string | undefined)[];

const SEQUENCE = /^(\??[\d;]*)([A-Za-z])([\s\S]*)$/;

function partsOf(line: Line, columns: number): Line[] {
  const count = Math.max(1, Math.ceil(line.length / columns));
  return Array.from({ length: count }, (_, at) => line.slice(at * columns, (at + 1) * columns));
}
