/** A position in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The start of a file. */
export const TOP: Position = { line: 1, column: 1 };

/** A position as compilers print it, which editors and terminals can open: `FILE:3:7`, `FILE:3`, `FILE`. */
export function placeText(
  file: string,
  at: { readonly line: number; readonly column?: number } | null,
): string {
  if (at === null) return file;
  const column = at.column === undefined ? "" : `:${String(at.column)}`;
  return `${file}:${String(at.line)}${column}`;
}
