import { printable } from "../../observers/printable.ts";

/** One entry of a page: a label and its text, or a text of its own that is set in. */
export interface Entry {
  /** Empty: the text goes on below the one before. */
  readonly label: string | null;
  readonly text: string;
  /** Commands and texts of others are never broken: they are for pasting. */
  readonly whole?: true;
  /** Blanks before a text without a label. */
  readonly indent?: number;
}

/** `status    failed`; an empty label goes on below. */
export function labelled(label: string, text: string): Entry {
  return { label, text };
}

/** A text that is set in and broken between words. */
export function below(indent: number, text: string): Entry {
  return { label: null, text, indent };
}

/** A text that is set in and never broken. */
export function asIs(indent: number, text: string): Entry {
  return { label: null, text, indent, whole: true };
}

/** The lines of a page; `width` is that of the terminal, null: lines are as long as they are. */
export function layOut(entries: readonly Entry[], width: number | null): readonly string[] {
  return entries.flatMap(({ label, text, whole, indent = LABEL }) => {
    const first = label === null ? " ".repeat(indent) : label.padEnd(LABEL);
    const rest = label === null ? `${first}  ` : " ".repeat(LABEL);
    const room = width === null || whole === true ? null : Math.max(LEAST, width - rest.length);
    const lines = room === null ? [text] : wrap(text, room);
    return lines.map((line, at) => printable(`${at === 0 ? first : rest}${line}`).trimEnd());
  });
}

const LABEL = 10;
/** However narrow the terminal. */
const LEAST = 24;

/** Between words; a word that is longer than a line is left alone. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
