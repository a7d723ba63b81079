import { LINT_RULES } from "../../analysis/lint/lint-workflow.ts";
import type { LintReport, ShownFinding } from "../../author/lint.ts";
import { VERSION } from "../parse/version.ts";
import { pathFrom } from "../words/words.ts";

/** Findings as SARIF 2.1.0. Files are relative to `cwd`. */
export function findingsSarif(reports: readonly LintReport[], cwd: string): object {
  const driver = {
    name: "raymond",
    version: VERSION,
    rules: LINT_RULES.map(({ id, title, severity }) => ({
      id,
      shortDescription: { text: title },
      defaultConfiguration: { level: severity },
    })),
  };
  const results = reports.flatMap(({ findings }) => findings.map((one) => resultOf(one, cwd)));
  return { version: "2.1.0", runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }] };
}

function resultOf(
  { rule, severity, source, at, message, hint }: ShownFinding,
  cwd: string,
): object {
  const region = { startLine: at.line, startColumn: at.column };
  const artifactLocation = { uri: uriFrom(cwd, source) };
  return {
    ruleId: rule,
    ruleIndex: LINT_RULES.findIndex(({ id }) => id === rule),
    level: severity,
    message: { text: hint === "" ? message : `${message} ${hint}` },
    locations: [{ physicalLocation: { artifactLocation, region } }],
  };
}

function uriFrom(cwd: string, file: string): string {
  return pathFrom(cwd, file).replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
}
