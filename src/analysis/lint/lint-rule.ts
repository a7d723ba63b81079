import type { OutlinedState } from "../../language/outline/outline.ts";
import type { RuleId } from "../../language/workflow/files/state-file.ts";
import type { Found, Severity } from "./finding.ts";
import type { LintContext } from "./lint-context.ts";

/** One rule (docs/lint.md). */
export interface LintRule {
  readonly id: RuleId;
  /** The default; the check of a rule can lower it. */
  readonly severity: Severity;
  /** A noun phrase: the heading in docs/lint.md. */
  readonly title: string;
  readonly check: (context: LintContext) => readonly Found[];
}

/** An error if a run can reach the state, otherwise a warning. */
export function severityIfReached(
  { reached }: LintContext,
  { name }: Pick<OutlinedState, "name">,
): Severity {
  return reached.has(name) ? "error" : "warning";
}
