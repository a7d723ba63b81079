import { stripVTControlCharacters } from "node:util";
import { widthOf } from "../../observers/live/fitting.ts";

/** What is to be sent to a terminal whose last lines are a panel. */
export interface Ink {
  /** Whole lines, where the cursor stands: a panel is taken away first. */
  print(lines: string): void;
  /** The panel as it is from now on; lines that stand there already are not sent again. */
  draw(panel: readonly string[]): void;
  /** Takes the panel away; `narrow`: the terminal has become so narrow meanwhile, else null. */
  clear(narrow: number | null): void;
  /** The panel stands where nobody can find it any more. */
  forget(): void;
  /** All that has come together, to be drawn as a whole by terminals that can. */
  take(): string;
}

/** Ink for a panel whose lines fit: none is ever broken by a terminal that stays as wide as it is. */
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
/** No line of a panel is ever broken, however wide its letters are on that terminal. */
const NO_BREAKS = "\u001B[?7l";
const BREAKS = "\u001B[?7h";
const ERASE_LINE = "\u001B[K";
/** Not as a new line does: at the last line of the terminal nothing moves. */
const DOWN = "\u001B[B";
const ERASE_BELOW = "\u001B[J";

/** To the begin of the line so many above; 0 rows would be taken for one. */
function up(rows: number): string {
  return rows === 0 ? "\r" : `\r\u001B[${String(rows)}A`;
}

/**
 * Line by line: the panel may stand at the top of the terminal, also because that has broken its lines anew, and
 * what is erased from there on as a whole tmux keeps where people scroll back to.
 */
function eraseAbove(rows: number): string {
  return up(rows) + `${ERASE_LINE}${DOWN}`.repeat(rows) + up(rows);
}

function firstChange(drawn: readonly string[], panel: readonly string[]): number {
  const at = panel.findIndex((line, index) => line !== drawn[index]);
  return at === -1 ? panel.length : at;
}

/** Most terminals break lines that have become too long for them. */
function rowsOf(lines: readonly string[], columns: number): number {
  const widths = lines.map((line) => widthOf(stripVTControlCharacters(line)));
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
