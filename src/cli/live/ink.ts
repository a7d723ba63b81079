import { stripVTControlCharacters } from "node:util";
import { widthOf } from "../../console/live/text-width.ts";

/** Collects output for a terminal whose last lines are a panel. */
export interface Ink {
  /** Whole lines at the cursor. The panel must be erased first. */
  print(lines: string): void;
  /** Draws the panel. Unchanged lines are not sent again. */
  draw(panel: readonly string[]): void;
  /** Erases the panel. `narrow`: the new width if the terminal has become narrower, else null. */
  clear(narrow: number | null): void;
  /** The position of the panel is unknown. */
  forget(): void;
  /** Returns the collected output as one synchronized update. */
  take(): string;
}

export function newInk(): Ink {
  let ink = "";
  let drawn: readonly string[] = [];

  return {
    forget: () => {
      drawn = [];
    },
    print: (lines) => {
      ink += lines;
    },
    draw: (panel) => {
      const from = firstChange(drawn, panel);
      if (from === panel.length && from === drawn.length) return;
      const lines = panel.slice(from).map((line, at) => {
        return line === drawn[from + at] ? "\n" : `${ERASE_LINE}${line}\n`;
      });
      const shorter = panel.length < drawn.length ? ERASE_BELOW : "";
      ink += `${NO_BREAKS}${up(drawn.length - from)}${lines.join("")}${shorter}${BREAKS}`;
      drawn = panel;
    },
    clear: (narrow) => {
      if (drawn.length === 0) return;
      ink += eraseAbove(narrow === null ? drawn.length : rowsOf(drawn, narrow));
      drawn = [];
    },
    take: () => {
      const taken = ink;
      ink = "";
      return taken === "" ? "" : `${BEGIN}${taken}${END}`;
    },
  };
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

/**
 * Line by line: if the panel is at the top of the terminal, tmux would copy a whole erased screen into the
 * scrollback.
 */
function eraseAbove(rows: number): string {
  return up(rows) + `${ERASE_LINE}${DOWN}`.repeat(rows) + up(rows);
}

function firstChange(drawn: readonly string[], panel: readonly string[]): number {
  const at = panel.findIndex((line, index) => line !== drawn[index]);
  return at === -1 ? panel.length : at;
}

/** Most terminals wrap lines that have become too long. */
function rowsOf(lines: readonly string[], columns: number): number {
  const widths = lines.map((line) => widthOf(stripVTControlCharacters(line)));
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
