/** A place in a text, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * A place in a file as compilers write it, so that editors and terminals jump
 * there: `FILE:3:7`, `FILE:3` where no column is known, `FILE` where no line is.
 */
export function placeText(
  file: string,
  at: { readonly line: number; readonly column?: number } | null,
): string {
  if (at === null) return file;
  const column = at.column === undefined ? "" : `:${String(at.column)}`;
  return `${file}:${String(at.line)}${column}`;
}
