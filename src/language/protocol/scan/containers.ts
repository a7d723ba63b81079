/** A Markdown container block: a blockquote, or a list item with the width of its indentation. */
export type Container =
  | { readonly kind: "quote" }
  | { readonly kind: "item"; readonly width: number };

/** A position in a line: `at` is its first non-blank character, after `blanks` columns. */
export interface Cursor {
  readonly at: number;
  readonly blanks: number;
  /** Column of `at`, for tab stops. */
  readonly column: number;
}

/** `end` is the offset after the last character of the line. */
export function lineCursor(text: string, start: number, end: number): Cursor {
  return skipBlanks(text, start, end, 0);
}

export function continueContainers(
  text: string,
  end: number,
  from: Cursor,
  containers: readonly Container[],
): { readonly cursor: Cursor; readonly matched: number } {
  let cursor = from;
  let matched = 0;
  for (const container of containers) {
    const inner = continueContainer(text, end, cursor, container);
    if (inner === null) break;
    cursor = inner;
    matched += 1;
  }
  return { cursor, matched };
}

/**
 * Enters a container that starts here; null if none does. Only a non-empty list item numbered 1, or
 * a bullet, interrupts a paragraph.
 */
export function openContainer(
  text: string,
  end: number,
  from: Cursor,
  interrupts: boolean,
): { readonly cursor: Cursor; readonly container: Container } | null {
  const quoted = continueContainer(text, end, from, { kind: "quote" });
  if (quoted !== null) return { cursor: quoted, container: { kind: "quote" } };
  if (from.blanks > 3) return null;
  const [marker] =
    /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/.exec(text.slice(from.at, Math.min(end, from.at + 11))) ??
    [];
  if (marker === undefined) return null;
  if (interrupts && /^\d/.test(marker) && Number.parseInt(marker, 10) !== 1) return null;
  const after = from.at + marker.length;
  const inner = skipBlanks(text, after, end, from.column + marker.length);
  if (interrupts && inner.at >= end) return null;
  // Five or more blanks count as one, followed by indented code.
  const gap = inner.at >= end || inner.blanks > 4 ? 1 : inner.blanks;
  return {
    cursor: { ...inner, blanks: Math.max(0, inner.blanks - gap) },
    container: { kind: "item", width: from.blanks + marker.length + gap },
  };
}

function continueContainer(
  text: string,
  end: number,
  from: Cursor,
  container: Container,
): Cursor | null {
  switch (container.kind) {
    case "quote": {
      if (from.blanks > 3 || from.at >= end || text[from.at] !== ">") return null;
      const inner = skipBlanks(text, from.at + 1, end, from.column + 1);
      return { ...inner, blanks: Math.max(0, inner.blanks - 1) };
    }
    case "item":
      if (from.at >= end) return from;
      return from.blanks < container.width
        ? null
        : { ...from, blanks: from.blanks - container.width };
  }
}

function skipBlanks(text: string, from: number, end: number, column: number): Cursor {
  let at = from;
  let reached = column;
  for (; at < end; at++) {
    if (text[at] === "\t") reached += 4 - (reached % 4);
    else if (text[at] === " ") reached += 1;
    else break;
  }
  return { at, blanks: reached - column, column: reached };
}
