/** How the texts of a column stand in it: numbers to the right. */
export type Alignment = "left" | "right";

/**
 * Rows as lines with aligned columns, two blanks between them and none at the
 * end of a line. A row may have fewer cells than there are columns.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): readonly string[] {
  const widths = alignments.map((_, column) =>
    Math.max(0, ...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return alignments[column] === "right" ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join("  ").trimEnd();
  });
}
