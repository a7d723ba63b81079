export type Alignment = "left" | "right";

export interface Column {
  readonly alignment: Alignment;
  /** Columns with a number are dropped if the table is too wide, the lowest number first. */
  readonly expendable?: number;
  /** Texts may be cut at the start, down to this number of characters. */
  readonly least?: number;
  /** A suffix of some texts, which is kept when they are cut. */
  readonly mark?: string;
}

/** Rows as lines with aligned columns, without trailing blanks. A row may have fewer cells than there are columns. */
export function formatTable(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): readonly string[] {
  const widths = alignments.map((_, column) => widthOf(rows, column));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return alignments[column] === "right" ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join("  ").trimEnd();
  });
}

/** The same within `width` characters, if possible: cuts texts first, then drops columns. Null: no limit. */
export function fitTable(
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  width: number | null,
): readonly string[] {
  const alignments = columns.map(({ alignment }) => alignment);
  if (width === null) return formatTable(rows, alignments);
  const excess = widthOfAll(rows, columns) - width;
  const fitted = excess > 0 ? rows.map((row) => cutRow(row, rows, columns, excess)) : rows;
  const [next] = columns
    .flatMap(({ expendable }, index) => (expendable === undefined ? [] : [{ expendable, index }]))
    .toSorted((a, b) => a.expendable - b.expendable);
  if (widthOfAll(fitted, columns) <= width || next === undefined) {
    return formatTable(fitted, alignments);
  }
  const stay = <T>(cells: readonly T[]) => cells.filter((_, index) => index !== next.index);
  return fitTable(rows.map(stay), stay(columns), width);
}

function cutRow(
  row: readonly string[],
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  excess: number,
): readonly string[] {
  return row.map((cell, index) => {
    const { least, mark = "" } = columns[index] ?? {};
    if (least === undefined) return cell;
    const end = mark !== "" && cell.endsWith(mark) ? mark : "";
    const text = cell.slice(0, cell.length - end.length);
    const shortest = end === "" ? least : Math.min(least, MIN_BEFORE_MARK);
    return cutStart(text, Math.max(shortest, widthOf(rows, index) - excess - end.length)) + end;
  });
}

/** Minimum characters of a cut text before its mark. */
const MIN_BEFORE_MARK = 5;

/** `…ows/coding`. */
function cutStart(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`;
}

function widthOf(rows: readonly (readonly string[])[], column: number): number {
  return Math.max(0, ...rows.map((row) => (row[column] ?? "").length));
}

function widthOfAll(rows: readonly (readonly string[])[], columns: readonly Column[]): number {
  const widths = columns.map((_, column) => widthOf(rows, column));
  return widths.reduce((sum, each) => sum + each, 2 * Math.max(0, widths.length - 1));
}
