import { type Command, Option } from "commander";
import { countOf, type LintReport, lint, type ShownFinding } from "../../../author/lint.ts";
import { BadFlagError } from "../../../config/errors.ts";
import { RaymondError } from "../../../language/basics/errors.ts";
import type { Platform } from "../../../language/workflow/files/platform.ts";
import { watchWorkflows } from "../../../wire/engine/watch.ts";
import { findingsGithub } from "../../linting/github.ts";
import { findingsSarif } from "../../linting/sarif.ts";
import { formatFindings, formatSum } from "../../linting/text.ts";
import { printJson } from "../../output.ts";
import { action, JSON_OBJECT, notEmptyEach } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { reportError } from "../../words/report-error.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<paths...>", "Folders, zip archives, .yaml files or state files", notEmptyEach)
    .addOption(new Option("--format <format>", "Output format (default: text)").choices(FORMATS))
    .option(...JSON_OBJECT)
    .option("--fix", "Fix safe problems in place")
    .option("--watch", "Check again after every change of a file")
    .option("--max-warnings <n>", "Exit with 2 if there are more than N warnings")
    .addOption(
      new Option("--platform <platform>", "Target platform (default: this one)").choices(PLATFORMS),
    )
    .option("--var <name...>", "Variables that --var sets, and that so fill placeholders")
    .action(action(shell, lintCommand));
}

const FORMATS = ["text", "json", "sarif", "github"] as const;
type Format = (typeof FORMATS)[number];
const PLATFORMS: readonly Platform[] = ["unix", "windows"];

interface LintCommandOptions {
  readonly paths: readonly string[];
  readonly format?: Format;
  readonly json?: true;
  readonly fix?: true;
  readonly watch?: true;
  readonly maxWarnings?: string;
  readonly platform?: Platform;
  readonly var?: readonly string[];
}

/** Returns 2 if a workflow has an error, or too many warnings. */
async function lintCommand(options: LintCommandOptions, shell: Shell): Promise<ExitCode> {
  const { paths, var: variables, fix, platform } = options;
  const format = options.format ?? (options.json === true ? "json" : "text");
  const most = mostWarnings(options);
  const check = async (): Promise<ExitCode> => {
    const reports: LintReport[] = [];
    for (const workflow of paths) {
      reports.push(await lint({ workflow, variables, platform, fix }, shell));
    }
    print(reports, format, shell);
    const tooMany = countOf(reports, "warning") > most;
    return countOf(reports, "error") > 0 || tooMany ? EXIT.usage : EXIT.completed;
  };
  if (options.watch !== true) return check();
  let checked = false;
  await watchWorkflows(paths, shell, async () => {
    await check().catch((error: unknown) => {
      // The workflow is being replaced, for example by a checkout of another branch.
      if (!checked || !(error instanceof RaymondError)) throw error;
      reportError(error, shell.err.line, shell.style);
    });
    checked = true;
  });
  return EXIT.completed;
}

function mostWarnings({ maxWarnings }: LintCommandOptions): number {
  if (maxWarnings === undefined) return Number.POSITIVE_INFINITY;
  if (/^\d{1,9}$/.test(maxWarnings)) return Number(maxWarnings);
  throw new BadFlagError("--max-warnings", maxWarnings, "a whole number, 0 or more");
}

function print(reports: readonly LintReport[], format: Format, shell: Shell): void {
  const { out, err, cwd } = shell;
  switch (format) {
    case "json":
      printJson(out, findingsJson(reports));
      return;
    case "sarif":
      printJson(out, findingsSarif(reports, cwd));
      return;
    case "github":
      for (const line of findingsGithub(reports, cwd)) out.line(line);
      return;
    case "text":
      for (const line of formatFindings(reports, shell)) out.line(line);
      err.line(formatSum(reports));
  }
}

function findingsJson(reports: readonly LintReport[]): object {
  return {
    errors: countOf(reports, "error"),
    warnings: countOf(reports, "warning"),
    notes: countOf(reports, "note"),
    workflows: reports.map(({ workflow, findings, fixed }) => ({
      workflow,
      fixed,
      findings: findings.map(findingJson),
    })),
  };
}

function findingJson({ source: file, at, fix, rule, severity, message, hint }: ShownFinding) {
  return { rule, severity, file, ...at, message, hint, fixable: fix !== null };
}
