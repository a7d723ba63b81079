import type { RuleId } from "../../language/workflow/files/state-file.ts";
import { AGENT_RULES } from "./agent-rules.ts";
import { ALLOWED_RULES } from "./allowed-rules.ts";
import { BACKEND_RULES } from "./backend-rules.ts";
import type { Finding } from "./finding.ts";
import { FLOW_RULES } from "./flow-rules.ts";
import { LIBRARY_RULES } from "./library-rules.ts";
import { type LintInput, type LintRule, lintContextOf } from "./lint-context.ts";
import { PROMPT_RULES } from "./prompt-rules.ts";
import { SCHEMA_RULES } from "./schema-rules.ts";
import { SCRIPT_RULES } from "./script-rules.ts";
import { TARGET_RULES } from "./target-rules.ts";
import { WORKFLOW_RULES } from "./workflow-rules.ts";

/** All rules, sorted by id (docs/contributing.md, "Add a lint rule"). */
export const LINT_RULES: readonly LintRule[] = [
  ...WORKFLOW_RULES,
  ...TARGET_RULES,
  ...ALLOWED_RULES,
  ...FLOW_RULES,
  ...AGENT_RULES,
  ...PROMPT_RULES,
  ...BACKEND_RULES,
  ...SCRIPT_RULES,
  ...LIBRARY_RULES,
  ...SCHEMA_RULES,
];

/** The findings of all rules, sorted by file and line. */
export function lintWorkflow(facts: LintInput): readonly Finding[] {
  const context = lintContextOf(facts);
  const findings = LINT_RULES.flatMap(({ id, severity, check }) =>
    check(context).map((found): Finding => {
      return { rule: id, severity, hint: "", word: null, hidden: false, fix: null, ...found };
    }),
  );
  return onePerTag(findings).toSorted(
    (a, b) => compare(a.source, b.source) || a.at.line - b.at.line || compare(a.rule, b.rule),
  );
}

/** Drops findings that follow from a malformed tag at the same position. */
function onePerTag(findings: readonly Finding[]): readonly Finding[] {
  const placeOf = ({ source, at }: Finding) => `${source}:${String(at.line)}:${String(at.column)}`;
  const malformed = new Set(findings.filter(({ rule }) => rule === "RAY206").map(placeOf));
  return findings.filter((one) => !FOLLOWS.has(one.rule) || !malformed.has(placeOf(one)));
}

const FOLLOWS: ReadonlySet<RuleId> = new Set([
  ...(["RAY301", "RAY402", "RAY403", "RAY501", "RAY502", "RAY503", "RAY504", "RAY704"] as const),
]);

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
