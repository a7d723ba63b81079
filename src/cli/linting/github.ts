import type { LintReport, ShownFinding } from "../../author/lint.ts";
import { pathFrom } from "../words/words.ts";

/** Findings as workflow commands of GitHub, which shows them next to the changed lines. */
export function findingsGithub(reports: readonly LintReport[], cwd: string): readonly string[] {
  return reports.flatMap(({ findings }) => findings.map((one) => command(one, cwd)));
}

function command({ rule, severity, source, at, message, hint }: ShownFinding, cwd: string): string {
  const properties = {
    file: pathFrom(cwd, source).replaceAll("\\", "/"),
    line: String(at.line),
    col: String(at.column),
    title: rule,
  };
  const name = severity === "note" ? "notice" : severity;
  const list = Object.entries(properties).map(([key, value]) => `${key}=${inProperty(value)}`);
  return `::${name} ${list.join(",")}::${inData([message, hint].join(" ").trim())}`;
}

function inData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function inProperty(text: string): string {
  return inData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
