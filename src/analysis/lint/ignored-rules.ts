import type { Finding } from "./finding.ts";

/**
 * Whether a finding is accepted: by a comment in its file, such as `# raymond-lint-ignore RAY401: runs forever`, or by
 * `lint_ignore` of the workflow. Errors are always reported, because the workflow cannot run.
 */
export function isIgnored(
  { rule, severity }: Pick<Finding, "rule" | "severity">,
  text: string,
  inWorkflow: readonly string[],
): boolean {
  if (severity === "error") return false;
  if (inWorkflow.includes(rule)) return true;
  return [...text.matchAll(COMMENT)].some(([, rules = ""]) => rules.includes(rule));
}

/** After the sign of a comment in YAML, bash, PowerShell, batch files or Markdown. */
const COMMENT =
  /(?:#|::|\brem|<!--)[ \t]*raymond-lint-ignore[ \t]+(RAY\d{3}(?:[ \t]*,[ \t]*RAY\d{3}){0,50})/gi;
