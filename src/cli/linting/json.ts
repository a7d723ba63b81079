import { countOf, type LintReport, type ShownFinding } from "../../author/lint.ts";

export function findingsJson(reports: readonly LintReport[]): object {
  return {
    errors: countOf(reports, "error"),
    warnings: countOf(reports, "warning"),
    notes: countOf(reports, "note"),
    workflows: reports.map(({ workflow, findings, mended }) => ({
      workflow,
      mended,
      findings: findings.map(findingJson),
    })),
  };
}

function findingJson({
  rule,
  severity,
  source,
  at,
  message,
  hint,
  fix: mend,
}: ShownFinding): object {
  return { rule, severity, file: source, ...at, message, hint, fixable: mend !== null };
}
