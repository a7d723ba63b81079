import { counted } from "../../core/counted.ts";
import type { Severity } from "../../core/lint/finding.ts";
import { placeText } from "../../core/place.ts";
import { printable } from "../../observers/printable.ts";
import type { Style } from "../../observers/style.ts";
import { countOf, type LintReport, type ShownFinding } from "../../runs/lint.ts";
import { pathFrom } from "../words.ts";

/** Findings for people: the place as compilers write it, the line with a mark below it, what to do. */
export function formatFindings(
  reports: readonly LintReport[],
  { cwd, style }: { readonly cwd: string; readonly style: Style },
): readonly string[] {
  return reports.flatMap(({ findings }) =>
    findings.flatMap((finding) => formatFinding(finding, cwd, style)),
  );
}

function formatFinding(finding: ShownFinding, cwd: string, style: Style): readonly string[] {
  const { source, at, severity, message, hint, rule } = finding;
  const level = inColour(severity, style);
  const place = style.strong(printable(placeText(pathFrom(cwd, source), at)));
  return [
    `${place}: ${level} ${printable(message)} ${style.dim(`[${rule}]`)}`,
    ...shownLine(finding, style),
    ...(hint === "" ? [] : [`  ${style.dim(printable(hint))}`]),
  ];
}

function inColour(severity: Severity, style: Style): string {
  switch (severity) {
    case "error":
      return style.error("error:");
    case "warning":
      return style.warning("warning:");
    case "note":
      return style.accent("note:");
  }
}

/** The end of a long line is cut off, and so is what stands far before the place. */
const WIDEST = 100;

function shownLine({ line, at, word }: ShownFinding, style: Style): readonly string[] {
  if (line === null || line.trim() === "") return [];
  const from = Math.max(0, at.column - 1 - WIDEST / 2);
  // One character stays one, so that the mark stands below it.
  const text = Array.from(line.slice(from, from + WIDEST), (char) => printable(char).at(-1) ?? "");
  const number = String(at.line);
  const column = Array.from(line.slice(from, at.column - 1)).length;
  const length = Math.max(1, Math.min(word?.length ?? 1, text.length - column));
  return [
    `  ${style.dim(`${number} |`)} ${text.join("").trimEnd()}`,
    `  ${style.dim(`${" ".repeat(number.length)} |`)} ${" ".repeat(column)}${style.warning("^".repeat(length))}`,
  ];
}

/** How much was found in all, and what could be done about it. */
export function formatSum(reports: readonly LintReport[]): string {
  const found = (["error", "warning", "note"] as const).flatMap((severity) => {
    const count = countOf(reports, severity);
    return count === 0 ? [] : [counted(count, severity)];
  });
  const findings = reports.flatMap((report) => report.findings);
  const mendable = findings.filter(({ mend }) => mend !== null).length;
  const mended = reports.reduce((sum, report) => sum + report.mended, 0);
  const sum = found.length === 0 ? "Nothing found." : `${found.join(", ")}.`;
  return [
    ...(mended === 0 ? [] : [`Mended: ${String(mended)}.`]),
    sum,
    ...(mendable === 0 ? [] : [`--fix mends ${String(mendable)} of them.`]),
  ].join(" ");
}
