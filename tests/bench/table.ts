import { medianRatio, type Sample, sampleOf, type Times } from "./measure.ts";

/** One comparison. */
export interface Row {
  readonly what: string;
  /** The baseline; null: the figure itself has a target. */
  readonly floor: Sample | null;
  readonly raymond: Sample;
  /** Empty for a plain number. */
  readonly unit: "ms" | "s" | "MiB" | "";
  /** Maximum ratio to the baseline, or without one the maximum figure; null: no target. */
  readonly target: number | null;
}

/** The same workflow run by the program of `--peer`; none without it. */
export function peerRow(
  what: string,
  { raymond, peer }: { readonly raymond: Times; readonly peer?: Times },
  target: number | null,
): readonly Row[] {
  if (peer === undefined) return [];
  const title = `${what}, against --peer`;
  return [{ what: title, floor: peer.wall, raymond: raymond.wall, unit: "ms", target }];
}

/** What is compared with the target: the ratio to the baseline, or the figure itself. */
export function figureOf({ floor, raymond }: Row): number {
  return floor === null ? raymond.median : medianRatio(raymond, floor);
}

/** The rows as an aligned Markdown table. */
export function tableText(rows: readonly Row[]): string {
  return alignedTable(
    ["what", "floor", "raymond", "ratio", "target", ""],
    rows.map((row) => rowCells(row)),
  );
}

/** A Markdown table whose columns are aligned, all but the first to the right. */
export function alignedTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = head.map((_, column) =>
    Math.max(2, ...[head, ...rows].map((line) => line[column]?.length ?? 0)),
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
  return [head, rule, ...rows].map(print).join("\n");
}

/** Title, baseline, figure, ratio, target, and whether the target is met. `median`: without ranges. */
export function rowCells(row: Row, detail: "range" | "median" = "range"): readonly string[] {
  const { what, floor, raymond, unit, target } = row;
  const figure = figureOf(row);
  const text = (sample: Sample) =>
    sampleText(detail === "range" ? sample : sampleOf([sample.median]), unit);
  const base = floor === null ? "–" : text(floor);
  const ratio = floor === null ? "–" : figure.toFixed(2);
  const most = `≤ ${String(target)} ${floor === null ? unit : ""}`.trim();
  const judged = target === null ? ["", ""] : [most, figure <= target ? "ok" : "over"];
  return [what, base, text(raymond), ratio, ...judged];
}

/** `4.12 ms (3.90–5.00)`: median, minimum and maximum. */
export function sampleText({ median, min, max }: Sample, unit: string): string {
  const digits = median >= 100 ? 0 : median >= 10 ? 1 : 2;
  const range = min === max ? "" : ` (${min.toFixed(digits)}–${max.toFixed(digits)})`;
  return `${median.toFixed(digits)} ${unit}`.trim() + range;
}

/** The rows as JSON, for other programs. */
export function rowsJson(rows: readonly Row[]): string {
  const figures = rows.map((row) => {
    const { what, floor, raymond, unit, target } = row;
    const base = floor === null ? null : floor.median;
    const ratio = floor === null ? null : figureOf(row);
    return { what, unit, floor: base, raymond: raymond.median, ratio, target };
  });
  return JSON.stringify({ node: process.versions.node, rows: figures }, null, 2);
}
