import { BadFlagError } from "../../config/errors.ts";
import { RaymondError } from "../../core/errors.ts";
import type { Platform } from "../../core/workflow/platform.ts";
import { countOf, type LintReport, lint } from "../../runs/lint.ts";
import { watchWorkflows } from "../../runs/wire/watch.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { findingsGithub } from "../linting/github.ts";
import { findingsJson } from "../linting/json.ts";
import { findingsSarif } from "../linting/sarif.ts";
import { formatFindings, formatSum } from "../linting/text.ts";
import { printJson } from "../output.ts";
import { reportError } from "../report-error.ts";
import type { Shell } from "../shell.ts";

interface LintCommandOptions {
  readonly paths: readonly string[];
  readonly format?: string;
  readonly json?: true;
  readonly fix?: true;
  readonly watch?: true;
  readonly maxWarnings?: string;
  readonly platform?: string;
  readonly var?: readonly string[];
}

/** `raymond lint`: what is wrong with workflows, without running any. Returns 2 where one cannot run. */
export async function lintCommand(options: LintCommandOptions, shell: Shell): Promise<ExitCode> {
  const format = formatOf(options);
  const most = mostWarnings(options);
  const platform = platformOf(options);
  const { paths, var: variables, fix } = options;
  const look = async (): Promise<ExitCode> => {
    const reports: LintReport[] = [];
    for (const workflow of paths) {
      reports.push(await lint({ workflow, variables, platform, fix }, shell));
    }
    print(reports, format, shell);
    const tooMany = countOf(reports, "warning") > most;
    return countOf(reports, "error") > 0 || tooMany ? EXIT.usage : EXIT.completed;
  };
  if (options.watch !== true) return look();
  let seen = false;
  await watchWorkflows(paths, shell, async () => {
    await look().catch((error: unknown) => {
      // One that was there before is being replaced, by another branch say.
      if (!seen || !(error instanceof RaymondError)) throw error;
      reportError(error, shell.err.line, shell.style);
    });
    seen = true;
  });
  return EXIT.completed;
}

export const LINT_FORMATS = ["text", "json", "sarif", "github"] as const;
type Format = (typeof LINT_FORMATS)[number];

function formatOf({ format, json }: LintCommandOptions): Format {
  if (format === undefined) return json === true ? "json" : "text";
  const known = LINT_FORMATS.find((one) => one === format);
  if (known !== undefined) return known;
  throw new BadFlagError("--format", format, `one of ${LINT_FORMATS.join(", ")}`);
}

export const PLATFORMS: readonly Platform[] = ["unix", "windows"];

function platformOf({ platform }: LintCommandOptions): Platform | undefined {
  const known = PLATFORMS.find((one) => one === platform);
  if (platform === undefined || known !== undefined) return known;
  throw new BadFlagError("--platform", platform, PLATFORMS.join(" or "));
}

function mostWarnings({ maxWarnings }: LintCommandOptions): number {
  if (maxWarnings === undefined) return Number.POSITIVE_INFINITY;
  if (/^\d{1,9}$/.test(maxWarnings)) return Number(maxWarnings);
  throw new BadFlagError("--max-warnings", maxWarnings, "a whole number from 0 on");
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
