import type { Severity } from "../../analysis/lint/finding.ts";
import { countOf, type LintReport, type ShownFinding } from "../../author/lint.ts";
import type { Style } from "../../console/style.ts";
import { counted } from "../../language/basics/counted.ts";
import { placeText } from "../../language/basics/place.ts";
import { printable } from "../../log/printable.ts";
import { pathFrom } from "../words/words.ts";

/** Findings for people: the place as compilers print it, the line with a marker, and a hint. */
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

/** Maximum characters of a line around the place. */
const WIDEST = 100;

function shownLine({ line, at, word }: ShownFinding, style: Style): readonly string[] {
  if (line === null || line.trim() === "") return [];
  const from = Math.max(0, at.column - 1 - WIDEST / 2);
  // One character each, so that the marker is below the right one.
  const text = Array.from(line.slice(from, from + WIDEST), (char) => printable(char).at(-1) ?? "");
  const number = String(at.line);
  const column = Array.from(line.slice(from, at.column - 1)).length;
  const length = Math.max(1, Math.min(word?.length ?? 1, text.length - column));
  return [
    `  ${style.dim(`${number} |`)} ${text.join("").trimEnd()}`,
    `  ${style.dim(`${" ".repeat(number.length)} |`)} ${" ".repeat(column)}${style.warning("^".repeat(length))}`,
  ];
}

export function formatSum(reports: readonly LintReport[]): string {
  const found = (["error", "warning", "note"] as const).flatMap((severity) => {
    const count = countOf(reports, severity);
    return count === 0 ? [] : [counted(count, severity)];
  });
  const findings = reports.flatMap((report) => report.findings);
  const fixable = findings.filter(({ fix }) => fix !== null).length;
  const fixed = reports.reduce((sum, report) => sum + report.fixed, 0);
  const sum = found.length === 0 ? "Nothing found." : `${found.join(", ")}.`;
  return [
    ...(fixed === 0 ? [] : [`Fixed ${counted(fixed, "problem")}.`]),
    sum,
    ...(fixable === 0 ? [] : [`--fix can fix ${String(fixable)} of them.`]),
  ].join(" ");
}
