import type { OutlinedState } from "../outline/outline.ts";
import type { RuleId } from "../workflow/state-file.ts";
import type { Found, Severity } from "./finding.ts";
import type { Study } from "./study.ts";

/** One rule of lint: a row of the table (docs/lint.md). */
export interface LintRule {
  readonly id: RuleId;
  /** Of a finding that does not say; a check says so where a workflow may run in spite of it. */
  readonly severity: Severity;
  /** What is wrong where it finds something, in a few words. */
  readonly title: string;
  readonly check: (study: Study) => readonly Found[];
}

/** An error where a run can come to it, else a warning: what is never entered keeps nothing from running. */
export function whereReached({ reached }: Study, { name }: Pick<OutlinedState, "name">): Severity {
  return reached.has(name) ? "error" : "warning";
}
