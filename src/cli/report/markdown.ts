import { fileWords } from "../../console/format/format-changes.ts";
import { localTime } from "../../console/local-time.ts";
import type { RunReport } from "../../inspect/run-report.ts";
import type { LoggedQuestion } from "../../log/logged-questions.ts";
import { printable } from "../../log/printable.ts";
import { formatCost } from "../commands/inspect/cost.ts";
import { formatCommands, formatTimeline } from "../history/timeline.ts";
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
    {
      title: "Changes",
      lines: (report.changes ?? []).slice(0, MOST_FILES).map((file) => printable(fileWords(file))),
    },
    { title: "Questions", lines: report.questions.map(questionLine) },
    {
      title: "Commands",
      lines: formatCommands(why.report.history?.commands ?? [], localTime, null).map(printable),
    },
    { title: "Cost", lines: formatCost(why.report) },
    ...Object.entries(run.results).map(([agent, result]) => ({
      title: `Result of ${agent}`,
      lines: result.split(/\r?\n/).map(printable),
    })),
  ];
  return printMarkdown(`${run.id}: ${status}, ${localTime(at)}`, parts);
}

const MOST_STEPS = 500;
const MOST_FILES = 200;

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

/** A section of a page: a heading and preformatted lines. */
interface Part {
  readonly title: string;
  /** The language of the block, such as `mermaid`. */
  readonly language?: string;
  readonly lines: readonly string[];
}

/** A page of Markdown. Empty parts are left out. Texts of models and scripts are in code blocks, so that they are not markup. */
function printMarkdown(title: string, parts: readonly Part[]): string {
  const shown = parts.filter(({ lines }) => lines.some((line) => line.trim() !== ""));
  const texts = shown.map((part) => `## ${part.title}\n\n${block(part)}\n`);
  return [`# ${title}\n`, ...texts].join("\n");
}

/** Maximum characters of a line: a browser does not wrap code blocks. */
const WIDTH = 160;

/** Wraps a line at blanks if possible. Further lines are indented. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > WIDTH) {
    const blank = rest.lastIndexOf(" ", WIDTH);
    const hasBlank = rest.slice(0, blank).trim() !== "";
    // Does not split a surrogate pair.
    const half = /[\uD800-\uDBFF]/.test(rest.charAt(WIDTH - 1)) ? WIDTH - 1 : WIDTH;
    const end = hasBlank ? blank : half;
    lines.push(rest.slice(0, end).trimEnd());
    rest = `    ${rest.slice(end).trimStart()}`;
  }
  return [...lines, rest];
}

function block({ language = "text", lines }: Part): string {
  const shown = language === "text" ? lines.flatMap(wrapped) : lines;
  const text = shown.join("\n").replace(/\n+$/, "");
  // A fence must be longer than any run of backticks in the text.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
