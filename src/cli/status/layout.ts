import { printable } from "../../log/printable.ts";

/** An entry of a page: a label with its text, or an indented text. */
export interface Entry {
  /** Empty: the text continues the previous one. */
  readonly label: string | null;
  readonly text: string;
  /** Never wrapped: commands, for pasting, and texts of models and scripts. */
  readonly whole?: true;
  readonly indent?: number;
}

/** Nested entries. Null: no entry. */
export type Entries = Entry | null | readonly Entries[];

/** `status    failed` */
export function labelled(label: string, text: string): Entry {
  return { label, text };
}

/** An indented text that wraps. */
export function below(indent: number, text: string): Entry {
  return { label: null, text, indent };
}

/** An indented text that never wraps. */
export function asIs(indent: number, text: string): Entry {
  return { label: null, text, indent, whole: true };
}

/** The lines of a page. `width`: null for no limit. */
export function layOut(entries: Entries, width: number | null): readonly string[] {
  return flat(entries).flatMap(({ label, text, whole, indent = LABEL }) => {
    const first = label === null ? " ".repeat(indent) : label.padEnd(LABEL);
    const rest = label === null ? `${first}  ` : " ".repeat(LABEL);
    const room = width === null || whole === true ? null : Math.max(LEAST, width - rest.length);
    const lines = room === null ? [text] : wrap(text, room);
    return lines.map((line, at) => printable(`${at === 0 ? first : rest}${line}`).trimEnd());
  });
}

function flat(entries: Entries): readonly Entry[] {
  if (entries === null) return [];
  return "text" in entries ? [entries] : entries.flatMap(flat);
}

const LABEL = 10;
const LEAST = 24;

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
