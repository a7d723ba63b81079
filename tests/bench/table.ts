import { medianRatio, type Sample } from "./measure.ts";

/** One comparison. */
export interface Row {
  readonly what: string;
  readonly floor: Sample;
  readonly raymond: Sample;
  /** Empty for a plain number. */
  readonly unit: "ms" | "s" | "MB" | "MiB" | "";
  /** Maximum ratio; null: no target. */
  readonly target: number | null;
}

/** The rows as an aligned Markdown table. */
export function tableText(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const print = (line: readonly string[]) => {
    const padded = line.map((cell, column) => {
      const room = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(room) : cell.padStart(room);
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = widths.map((room, column) =>
    column === 0 ? "-".repeat(room) : `${"-".repeat(room - 1)}:`,
  );
  const [head = [], ...body] = lines;
  return [head, rule, ...body].map(print).join("\n");
}

const HEAD: readonly string[] = ["what", "floor", "raymond", "ratio", "target", ""];

function cells({ what, floor, raymond, unit, target }: Row): readonly string[] {
  const ratio = medianRatio(raymond, floor);
  const judged =
    target === null ? ["", ""] : [`≤ ${String(target)}`, ratio <= target ? "ok" : "over"];
  return [what, sampleText(floor, unit), sampleText(raymond, unit), ratio.toFixed(2), ...judged];
}

/** `4.12 ms (3.90–5.00)`: median, minimum and maximum. */
export function sampleText({ median, min, max }: Sample, unit: string): string {
  const digits = median >= 100 ? 0 : median >= 10 ? 1 : 2;
  const range = min === max ? "" : ` (${min.toFixed(digits)}–${max.toFixed(digits)})`;
  return `${median.toFixed(digits)} ${unit}`.trim() + range;
}

/** Rows as saved in a file for later comparisons. */
export function rowsJson(rows: readonly Row[]): string {
  const figures = rows.map(({ what, floor, raymond, unit, target }) => {
    const ratio = medianRatio(raymond, floor);
    return { what, unit, floor: floor.median, raymond: raymond.median, ratio, target };
  });
  return JSON.stringify({ node: process.versions.node, rows: figures }, null, 2);
}

/** Rows saved by {@link rowsJson}. */
export interface KeptRows {
  readonly node: string;
  readonly rows: readonly { readonly what: string; readonly ratio: number | null }[];
}

/** Parses the output of {@link rowsJson}. Throws an error with the file name for other content. */
export function keptRows(text: string, file: string): KeptRows {
  try {
    const kept = JSON.parse(text) as Partial<KeptRows>;
    if (typeof kept.node === "string" && Array.isArray(kept.rows)) return kept as KeptRows;
  } catch {
    // Valid JSON of another kind.
  }
  throw new Error(`${file} is no file that --json has written`);
}

/** The ratios of these rows next to earlier ones, and rows without a counterpart. */
export function comparisonText(rows: readonly Row[], kept: KeptRows): string {
  const lines = rows.map(({ what, raymond, floor }) => {
    const then = kept.rows.find((row) => row.what === what)?.ratio ?? null;
    const now = medianRatio(raymond, floor).toFixed(2);
    return `${what}: ${then === null ? `${now}, new` : `${then.toFixed(2)} → ${now}`}`;
  });
  const measured = new Set(rows.map(({ what }) => what));
  const others = kept.rows.filter(({ what }) => !measured.has(what)).length;
  const sameNode = kept.node === process.versions.node;
  return [
    ...(sameNode
      ? []
      : [`Earlier on node ${kept.node}: ratios to node -e 0 mean nothing across versions.`]),
    ...lines,
    ...(others === 0 ? [] : [`Not measured this time: ${String(others)} of the earlier rows.`]),
  ].join("\n");
}
