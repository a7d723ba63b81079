import { alignedTable, type Row, rowCells } from "./table.ts";

/** Marks the table in docs/performance.md. */
const BEGIN = "<!-- bench -->\n";
const END = "<!-- end -->";

/**
 * The page with these rows in its table of measured figures. Rows with the same title are replaced,
 * new ones are added, and others are kept, so that comparisons can be measured one by one.
 */
export function withRows(page: string, rows: readonly Row[]): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END, from);
  if (from === -1 || to === -1) throw new Error(`The page has no ${BEGIN.trim()} … ${END}`);
  const known = page
    .slice(from, to)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const all = new Map(known.map((cells) => [cells[0], cells]));
  for (const row of rows) {
    // Whether the target is met can be seen.
    const cells = rowCells(row, "median").slice(0, -1);
    all.set(cells[0], [...cells]);
  }
  const table = alignedTable(["what", "baseline", "raymond", "ratio", "target"], [...all.values()]);
  return `${page.slice(0, from)}${BEGIN}\n${table}\n\n${page.slice(to)}`;
}
