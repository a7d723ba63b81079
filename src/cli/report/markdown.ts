import { localTime } from "../../console/local-time.ts";
import type { RunReport } from "../../inspect/run-report.ts";
import type { LoggedQuestion } from "../../log/logged-questions.ts";
import { printable } from "../../log/printable.ts";
import { formatCost } from "../commands/inspect/cost.ts";
import { type Part, printMarkdown } from "../history/markdown.ts";
import { formatTimeline } from "../history/timeline.ts";
import { formatWhy } from "../history/why-page.ts";

/** The report as Markdown. `mermaid`: the graph of the workflow, or null. */
export function printReport(report: RunReport, mermaid: string | null): string {
  const { why, at, running, leftOut } = report;
  const { run, status } = why.report;
  const steps = report.steps.slice(-MOST_STEPS);
  const earlier = leftOut + report.steps.length > steps.length;
  const table = steps.length === 0 ? [] : formatTimeline({ steps, running }, localTime, null);
  const parts: readonly Part[] = [
    { title: "Status", lines: formatWhy(why, null) },
    { title: "Workflow graph", language: "mermaid", lines: mermaid === null ? [] : [mermaid] },
    {
      title: `Steps${earlier ? ` (the last ${String(steps.length)})` : ""}`,
      lines: table.map(printable),
    },
    { title: "Questions", lines: report.questions.map(questionLine) },
    { title: "Cost", lines: formatCost(why.report) },
    ...Object.entries(run.results).map(([agent, result]) => ({
      title: `Result of ${agent}`,
      lines: result.split(/\r?\n/).map(printable),
    })),
  ];
  return printMarkdown(`${run.id}: ${status}, ${localTime(at)}`, parts);
}

const MOST_STEPS = 500;

function questionLine({ agent, askedAt, question, end }: LoggedQuestion): string {
  const asked = `${localTime(askedAt)}  ${agent}  ? ${oneLine(question)}`;
  switch (end.kind) {
    case "open":
      return asked;
    case "answered":
      return `${asked}  → ${oneLine(end.answer)}`;
    case "unanswered":
      return `${asked}  → no answer in time`;
  }
}

function oneLine(text: string): string {
  return printable(text.trim().replaceAll(/\s*\n\s*/g, " / "));
}
