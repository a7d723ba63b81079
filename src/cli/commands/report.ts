import { RaymondError } from "../../core/errors.ts";
import { formatEvent } from "../../observers/format-event.ts";
import { localTime } from "../../observers/local-time.ts";
import { printable } from "../../observers/printable.ts";
import { graph, printGraph } from "../../runs/graph.ts";
import { sumsByAgent } from "../../runs/inspect.ts";
import { show, type Timeline } from "../../runs/show.ts";
import { why } from "../../runs/why.ts";
import type { Wanted } from "../../runs/wire/stores.ts";
import { writePage } from "../../runs/write-page.ts";
import { NoSummaryFileError } from "../errors.ts";
import { type Part, printMarkdown } from "../history/markdown.ts";
import { formatTimeline } from "../history/timeline.ts";
import { formatWhy } from "../history/why-page.ts";
import type { Shell } from "../shell.ts";
import { pathFrom } from "../words.ts";
import { formatCost } from "./cost.ts";

interface ReportOptions extends Wanted {
  readonly md?: true;
  readonly output?: string;
  readonly githubSummary?: true;
}

/** `raymond report`: a page for people who have no raymond at hand, printed, written to a file, or added to the summary of a CI job. */
export async function reportCommand(options: ReportOptions, shell: Shell): Promise<void> {
  const { output, githubSummary } = options;
  const summary = githubSummary === true ? summaryFile(shell) : null;
  const text = await pageOf(options, shell);
  if (summary !== null) await writePage(text, summary, shell, "append");
  if (output !== undefined) {
    const file = await writePage(text, output, shell);
    shell.err.line(`Wrote ${pathFrom(shell.cwd, file)}.`);
  } else if (summary === null) {
    shell.out.write(text);
  }
}

function summaryFile({ env }: Shell): string {
  const file = env["GITHUB_STEP_SUMMARY"];
  if (file === undefined || file === "") throw new NoSummaryFileError();
  return file;
}

async function pageOf({ run: named, stateDir }: ReportOptions, shell: Shell): Promise<string> {
  const told = await why({ run: named, stateDir }, shell);
  const { report } = told;
  const { run, status } = report;
  const wanted = { run: run.id, stateDir };
  const timeline = await show({ ...wanted, limit: MOST_STEPS }, shell).catch(orNull);
  const picture = await graph(wanted, shell).catch(orNull);
  const parts: readonly Part[] = [
    { title: "Where it stands", lines: formatWhy(told, null) },
    {
      title: "Ways taken",
      language: "mermaid",
      lines: picture === null ? [] : [await printGraph(picture, "mermaid")],
    },
    {
      title: `Steps${timeline !== null && timeline.steps.length === MOST_STEPS ? ` (the last ${String(MOST_STEPS)})` : ""}`,
      lines: timeline === null ? [] : formatTimeline(timeline, shell.now(), null).map(printable),
    },
    { title: "Questions", lines: timeline === null ? [] : questionsOf(timeline) },
    { title: "Cost", lines: formatCost(run, status, sumsByAgent(report)) },
    ...Object.entries(run.results).map(([agent, result]) => ({
      title: `Result of ${agent}`,
      lines: result.split(/\r?\n/).map(printable),
    })),
  ];
  return printMarkdown(`${run.id}: ${status}, ${localTime(shell.now())}`, parts);
}

const MOST_STEPS = 500;

/** What cannot be had of a run, an event log or a workflow that is gone, is left out. */
function orNull(error: unknown): null {
  if (error instanceof RaymondError) return null;
  throw error;
}

function questionsOf({ steps }: Timeline): readonly string[] {
  return steps
    .flatMap(({ after }) => after)
    .filter(({ event }) => ASKING.has(event.type))
    .flatMap(({ event, at }) =>
      formatEvent(event).map(({ text, agent }) => `${localTime(at)}  ${agent ?? ""}  ${text}`),
    );
}

const ASKING: ReadonlySet<string> = new Set(["agent.asked", "agent.answered", "agent.unanswered"]);
