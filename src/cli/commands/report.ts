import { stat } from "node:fs/promises";
import path from "node:path";
import { RaymondError } from "../../core/errors.ts";
import { type GraphFormat, printGraph } from "../../runs/graph.ts";
import { runReportJson } from "../../runs/json/run-report-json.ts";
import { type RunReport, reportRun } from "../../runs/run-report.ts";
import type { Wanted } from "../../runs/wire/stores.ts";
import { writePage } from "../../runs/write-page.ts";
import { FlagConflictError, NoSummaryFileError } from "../errors.ts";
import { fittedSummary } from "../report/github-summary.ts";
import { printReport } from "../report/markdown.ts";
import { printPage } from "../report/page.ts";
import type { Shell } from "../shell.ts";
import { pathFrom } from "../words.ts";

interface ReportOptions extends Wanted {
  readonly html?: true;
  readonly md?: true;
  readonly json?: true;
  readonly output?: string;
  readonly githubSummary?: true;
}

/** `raymond report`: a page for people who have no raymond at hand, printed, written to a file, or added to the summary of a CI job. */
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

/** As it is asked for; else as the ending of the file says. */
function formatOf({ html, md, json, output }: ReportOptions): Format {
  const asked = Object.entries({ html, md, json }).flatMap(([name, on]) => (on ? name : []));
  if (asked.length > 1) {
    throw new FlagConflictError(
      `--${asked.join(" and --")} ask for different pages.`,
      "Name one of them.",
    );
  }
  const [found = /\.html?$/i.test(output ?? "") ? "html" : "md"] = asked;
  return found as Format;
}

function summaryFile({ env }: Shell): string {
  const file = env["GITHUB_STEP_SUMMARY"];
  if (file === undefined || file === "") throw new NoSummaryFileError();
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

/** Null where there is none, or too much to be drawn. */
async function pictureOf({ picture }: RunReport, format: GraphFormat): Promise<string | null> {
  if (picture === null) return null;
  return printGraph(picture, format).catch((error: unknown) => {
    if (error instanceof RaymondError) return null;
    throw error;
  });
}
