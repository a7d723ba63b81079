import { StringDecoder } from "node:string_decoder";

/**
 * A terminal as far as the live view needs one: what people see on it, line by line. It understands what is written
 * to it, and throws at any sequence that it does not know.
 */
export class FakeScreen {
  #columns: number;
  #rows: number;
  #lines: Line[] = [[]];
  #row = 0;
  #column = 0;
  #breaks = true;
  #begun = "";
  readonly #decoder = new StringDecoder();
  /** The first line that can be reached. */
  #top = 0;
  /** Bytes that it still takes. */
  room = Number.POSITIVE_INFINITY;
  /** As tmux: lines that are broken move what is above them out of reach, and what is erased from the top on stays there. */
  isTmux = false;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  size = () => ({ columns: this.#columns, rows: this.#rows });

  /** It gets another size, and breaks the lines that have become too long for it. */
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
    const taken = bytes.subarray(0, Math.min(bytes.length, this.room));
    this.room -= taken.length;
    this.#begun += this.#decoder.write(Buffer.from(taken));
    // What is cut in the middle of a sequence is drawn with its rest.
    const last = this.#begun.lastIndexOf("\u001B");
    const isCut = last !== -1 && !SEQUENCE.test(this.#begun.slice(last + 2));
    const whole = isCut ? this.#begun.slice(0, last) : this.#begun;
    this.#begun = this.#begun.slice(whole.length);
    this.show(whole);
    return taken.length;
  };

  /** What was written, drawn. */
  show(text: string): void {
    const [plain = "", ...sequences] = text.split("\u001B[");
    for (const character of plain) this.#print(character);
    for (const sequence of sequences) {
      const [, arguments_ = "", command = "", rest = ""] = SEQUENCE.exec(sequence) ?? [];
      this.#obey(arguments_, command);
      for (const character of rest) this.#print(character);
    }
  }

  /** All lines, those that have scrolled away too, without blanks at their ends. */
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

  /** Where the cursor is: behind a full line it stands on the last character, until the next one is written. */
  #cell(): number {
    return Math.min(this.#column, this.#columns - 1);
  }

  #line(row: number): Line {
    while (this.#lines.length <= row) this.#lines.push([]);
    return this.#lines[row] ?? [];
  }
}

/** Undefined where the cursor has passed, and nothing was written. */
type Line = (string | undefined)[];

const SEQUENCE = /^(\??[\d;]*)([A-Za-z])([\s\S]*)$/;

function partsOf(line: Line, columns: number): Line[] {
  const count = Math.max(1, Math.ceil(line.length / columns));
  return Array.from({ length: count }, (_, at) => line.slice(at * columns, (at + 1) * columns));
}
