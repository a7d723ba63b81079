import { stat } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { type GraphFormat, printGraph, writePage } from "../../../inspect/graph.ts";
import { runReportJson } from "../../../inspect/json/run-report-json.ts";
import { type RunReport, reportRun } from "../../../inspect/run-report.ts";
import { onUserError } from "../../../language/basics/errors.ts";
import type { Wanted } from "../../../wire/stores.ts";
import { actionOnRuns, JSON_OBJECT, runArgument, runSelection } from "../../parse/options.ts";
import { fittedSummary } from "../../report/github-summary.ts";
import { printReport } from "../../report/markdown.ts";
import { printPage } from "../../report/page.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { pathFrom } from "../../words/words.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .option("--html", "Write one HTML file, with the graph and a timeline of the agents")
    .option("--md", "Write Markdown (default)")
    .option(...JSON_OBJECT)
    .option("-o, --output <file>", "Write to this file; .html and .json select the format")
    .option("--github-summary", "Append to the summary of the current GitHub job");
  runSelection(command).action(actionOnRuns(shell, reportCommand));
}

interface ReportOptions extends Wanted {
  readonly html?: true;
  readonly md?: true;
  readonly json?: true;
  readonly output?: string;
  readonly githubSummary?: true;
}

export async function reportCommand(options: ReportOptions, shell: Shell): Promise<void> {
  const { output, githubSummary } = options;
  const format = formatOf(options);
  const summary = githubSummary === true ? summaryFile(shell) : null;
  const report = await reportRun(options, shell);
  if (summary !== null) {
    const taken = await sizeOf(path.resolve(shell.cwd, summary));
    const page = fittedSummary(await print(report, "md"), taken);
    await writePage(page, summary, shell, "append");
  }
  if (output !== undefined) {
    const file = await writePage(await print(report, format), output, shell);
    shell.err.line(`Wrote ${pathFrom(shell.cwd, file)}.`);
  } else if (summary === null) {
    shell.out.write(await print(report, format));
  }
}

type Format = "md" | "html" | "json";

/** By option, else by the extension of the file. A file without an extension is Markdown. */
function formatOf({ html, md, json, output }: ReportOptions): Format {
  const asked = Object.entries({ html, md, json }).flatMap(([name, on]) => (on ? name : []));
  if (asked.length > 1) {
    throw cliErrors["cli/flag-conflict"](
      `--${asked.join(" and --")} select different formats.`,
      "Use only one of them.",
    );
  }
  const [found = EXTENSIONS.get(path.extname(output ?? "").toLowerCase())] = asked;
  if (found !== undefined) return found as Format;
  const known = [...EXTENSIONS.keys()].filter((extension) => extension !== "").join(", ");
  throw new BadFlagError("--output", output ?? "", `a file that ends in ${known}`);
}

const EXTENSIONS: ReadonlyMap<string, Format> = new Map([
  ["", "md"],
  [".md", "md"],
  [".markdown", "md"],
  [".html", "html"],
  [".htm", "html"],
  [".json", "json"],
]);

function summaryFile({ env }: Shell): string {
  const file = env["GITHUB_STEP_SUMMARY"];
  if (file === undefined || file === "") throw cliErrors["cli/no-summary-file"]();
  return file;
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

async function print(report: RunReport, format: Format): Promise<string> {
  switch (format) {
    case "md":
      return printReport(report, await pictureOf(report, "mermaid"));
    case "html":
      return printPage(report, await pictureOf(report, "svg"));
    case "json":
      return `${JSON.stringify(runReportJson(report), null, 2)}\n`;
  }
}

/** Null if the workflow is gone, or has too many states to draw. */
async function pictureOf({ picture }: RunReport, format: GraphFormat): Promise<string | null> {
  if (picture === null) return null;
  return printGraph(picture, format).catch(onUserError(() => null));
}
