import { stripVTControlCharacters } from "node:util";
import { widthOf } from "../../console/live/text-width.ts";

/** Collects output for a terminal whose last lines are a panel. */
export class PanelOutput {
  #output = "";
  #drawn: readonly string[] = [];

  /** Whole lines at the cursor. The panel must be erased first. */
  print(lines: string): void {
    this.#output += lines;
  }

  /** Draws the panel. Unchanged lines are not sent again. */
  draw(panel: readonly string[]): void {
    const drawn = this.#drawn;
    const changed = panel.findIndex((line, index) => line !== drawn[index]);
    const from = changed === -1 ? panel.length : changed;
    if (from === panel.length && from === drawn.length) return;
    const lines = panel.slice(from).map((line, at) => {
      return line === drawn[from + at] ? "\n" : `${ERASE_LINE}${line}\n`;
    });
    const shorter = panel.length < drawn.length ? ERASE_BELOW : "";
    this.#output += `${NO_BREAKS}${up(drawn.length - from)}${lines.join("")}${shorter}${BREAKS}`;
    this.#drawn = panel;
  }

  /**
   * Erases the panel line by line: if it is at the top of the terminal, tmux would copy a whole erased screen into the
   * scrollback. `narrow`: the new width if the terminal has become narrower, else null.
   */
  clear(narrow: number | null): void {
    if (this.#drawn.length === 0) return;
    const rows = narrow === null ? this.#drawn.length : rowsOf(this.#drawn, narrow);
    this.#output += up(rows) + `${ERASE_LINE}${DOWN}`.repeat(rows) + up(rows);
    this.#drawn = [];
  }

  /** The position of the panel is unknown. */
  forget(): void {
    this.#drawn = [];
  }

  /** Returns the collected output as one synchronized update. */
  take(): string {
    const output = this.#output;
    this.#output = "";
    return output === "" ? "" : `${BEGIN}${output}${END}`;
  }
}

const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";
/** Lines of the panel never wrap, however wide their characters are. */
const NO_BREAKS = "\u001B[?7l";
const BREAKS = "\u001B[?7h";
const ERASE_LINE = "\u001B[K";
/** Unlike a line feed, it does not scroll. */
const DOWN = "\u001B[B";
const ERASE_BELOW = "\u001B[J";

/** To the start of the line `rows` above. A count of 0 would mean 1. */
function up(rows: number): string {
  return rows === 0 ? "\r" : `\r\u001B[${String(rows)}A`;
}

/** Most terminals wrap lines that have become too long. */
function rowsOf(lines: readonly string[], columns: number): number {
  const widths = lines.map((line) => widthOf(stripVTControlCharacters(line)));
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
