import type { RuleId } from "../workflow/state-file.ts";
import { AGENT_RULES } from "./agent-rules.ts";
import { ALLOWED_RULES } from "./allowed-rules.ts";
import type { Finding } from "./finding.ts";
import { FLOW_RULES } from "./flow-rules.ts";
import { LIBRARY_RULES } from "./library-rules.ts";
import type { LintRule } from "./lint-rule.ts";
import { PROMPT_RULES } from "./prompt-rules.ts";
import { SCRIPT_RULES } from "./script-rules.ts";
import { type LintFacts, studyOf } from "./study.ts";
import { TARGET_RULES } from "./target-rules.ts";
import { WORKFLOW_RULES } from "./workflow-rules.ts";

/** All rules, by their ids: one row each (docs/contributing.md, "Add a lint rule"). */
export const LINT_RULES: readonly LintRule[] = [
  ...WORKFLOW_RULES,
  ...TARGET_RULES,
  ...ALLOWED_RULES,
  ...FLOW_RULES,
  ...AGENT_RULES,
  ...PROMPT_RULES,
  ...SCRIPT_RULES,
  ...LIBRARY_RULES,
];

/** All that the rules find in a workflow, by file and line. */
export function lintWorkflow(facts: LintFacts): readonly Finding[] {
  const study = studyOf(facts);
  const findings = LINT_RULES.flatMap(({ id, severity, check }) =>
    check(study).map((found): Finding => {
      return { rule: id, severity, hint: "", word: null, hidden: false, mend: null, ...found };
    }),
  );
  return onePerTag(findings).toSorted(
    (a, b) => compare(a.source, b.source) || a.at.line - b.at.line || compare(a.rule, b.rule),
  );
}

/** Of a malformed tag only that is told: what else is wrong with it follows from that. */
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
