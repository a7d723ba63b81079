import { localTime, zoneName } from "../../console/local-time.ts";
import { isSimulated } from "../../engine/ports/backend.ts";
import { codingAgentsOf } from "../../inspect/coding-agents.ts";
import { shownSettings } from "../../inspect/json/report-json.ts";
import { openCommand } from "../../inspect/open-command.ts";
import type { RunReport } from "../../inspect/run-report.ts";
import type { AgentWhy } from "../../inspect/why.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd } from "../../language/basics/money.ts";
import { errorOf } from "../../machine/model/activity.ts";
import { type RunState, spent } from "../../machine/model/run-state.ts";
import { paragraphOf } from "../history/why-page.ts";
import { originSentence } from "../words/words.ts";
import { cutWords, facts, type Html, html, trusted } from "./html.ts";
import { lanesHtml } from "./lanes.ts";
import { SHEET } from "./sheet.ts";
import {
  changeTable,
  commandTable,
  costTables,
  failureTable,
  questionTable,
  stepTable,
} from "./tables.ts";

/**
 * The report as one HTML file without scripts and requests. Texts of models and scripts are escaped. `svg`: the graph of
 * the workflow, or null.
 */
export function printPage(report: RunReport, svg: string | null): string {
  const { run, status } = report.why.report;
  const result = section("results", "Results", results(report));
  const state = section("why", "Status", statusOf(report));
  const sections = [
    ...(status === "completed" ? [result, state] : [state, result]),
    section(
      "ways",
      "Workflow graph",
      svg === null ? null : html`<div class="picture">${trusted(svg)}</div>`,
    ),
    section("time", "Timeline", lanesHtml(report.lanes, agentsOf(report))),
    section("cost", "Cost", costTables(report)),
    section("questions", "Questions and answers", questionTable(report.questions)),
    section("commands", "Commands to the run", commandTable(report)),
    section("failures", "Failures", failureTable(report)),
    section("steps", "Steps", stepTable(report)),
    section("changes", "Changes", changeTable(report)),
    section(
      "settings",
      "Settings",
      facts(Object.entries(shownSettings(run)).map(([name, value]) => [name, valueWords(value)])),
    ),
    section("next", "Commands", commandsOf(report)),
  ].filter((each) => each !== null);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${titleOf(report)}: ${run.id}</title>
<style>${trusted(SHEET)}</style>
</head>
<body>
<main>
${head(report)}
<nav>${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</nav>
${sections.map(({ content }) => content)}
</main>
</body>
</html>
`.html;
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

/** Null without content. */
function section(id: string, title: string, content: Html | null): Section | null {
  if (content === null) return null;
  return { id, title, content: html`<section id="${id}"><h2>${title}</h2>${content}</section>\n` };
}

function titleOf({ why, picture }: RunReport): string {
  return picture?.title.replace(/, [^,]*$/, "") ?? why.report.run.workflow.path;
}

function head(report: RunReport): Html {
  const { why, at } = report;
  const { run, status, holder, stoppedAt, workedMs } = why.report;
  const look = status === "completed" ? "good" : BROKEN.has(status) ? "bad" : "warn";
  const { budgetMicroUsd } = run.settings;
  const estimated = run.totals.estimatedMicroUsd;
  const { input, output, cacheRead, cacheWrite } = run.totals.tokens;
  const origin = originSentence(run);
  const figures: readonly (readonly [string, string])[] = [
    ["started", localTime(Date.parse(run.startedAt))],
    ...(stoppedAt === null ? [] : [["stopped", localTime(stoppedAt)] as const]),
    ...(workedMs === null ? [] : [["worked", formatDuration(workedMs)] as const]),
    ["steps", `${String(run.steps)}, in ${counted(run.totals.attempts, "attempt")}`],
    ["agents", String(agentsOf(report))],
    [
      "cost",
      formatUsd(spent(run)) + (estimated > 0 ? `, ${formatUsd(estimated)} of it estimated` : ""),
    ],
    ["budget", budgetMicroUsd === null ? "none" : formatUsd(budgetMicroUsd)],
    ["tokens in", (input + cacheRead + cacheWrite).toLocaleString("en-US")],
    ["tokens out", output.toLocaleString("en-US")],
  ];
  return html`<header>
<h1>${titleOf(report)} <span class="badge ${look}">${status}</span></h1>
<p class="dim">Run ${run.id} of ${run.workflow.path}, in ${run.launchDir}${onAgents(run)}</p>
${origin === null ? null : html`<p class="dim">${origin}</p>`}
${holder === null ? null : html`<p class="warn">This run was still running when this page was written.</p>`}
${isSimulated(run.backend) ? html`<p class="warn">This run is simulated: its costs are made up.</p>` : null}
<dl class="facts">${figures.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="dim">Written at ${localTime(at)} ${zoneName(at)}; all times are in that zone.</p>
${leftOutWords(report)}
</header>`;
}

function onAgents(run: RunState): string {
  const agents = codingAgentsOf(run);
  return agents.length === 0 ? "" : `, on ${agents.join(", ")}`;
}

function leftOutWords({ leftOut, steps }: RunReport): Html | null {
  if (leftOut === 0 || steps.length === 0) return null;
  const words = `This is a long run: only its last ${counted(steps.length, "step")} were read. The ${String(leftOut)} steps before them are missing in the timeline, questions, failures and steps. Totals include all steps.`;
  return html`<p class="warn">${words}</p>`;
}

const BROKEN: ReadonlySet<string> = new Set(["failed", "crashed"]);

/** Agents that have ended are only counted, unless the log has their steps. */
function agentsOf({ why, lanes }: RunReport): number {
  const { run, agents } = why.report;
  const forked = Object.values(run.forkCounters).reduce((sum, count) => sum + count, 0);
  return Math.max(agents.length, lanes.length, forked + 1);
}

function results({ why }: RunReport): Html | null {
  const all = Object.entries(why.report.run.results);
  if (all.length === 0) return null;
  const { main, ...others } = why.report.run.results;
  const shown = Object.entries(others).slice(0, MOST_RESULTS);
  const left = Object.keys(others).length - shown.length;
  return html`${main === undefined ? null : resultOf("main", main, 50_000)}
${shown.map(([agent, result]) => resultOf(agent, result, 5_000))}
${left === 0 ? null : html`<p class="dim">Left out: ${counted(left, "more result")}.</p>`}`;
}

const MOST_RESULTS = 50;

function resultOf(agent: string, result: string, most: number): Html {
  if (result.trim() === "")
    return html`<p>${agent} <span class="dim">ended without a result</span></p>`;
  return html`<h3>${agent}</h3><pre>${cutWords(result, most)}</pre>`;
}

function statusOf({ why }: RunReport): Html {
  const { next, agents } = why;
  return html`<p>${paragraphOf(why)}</p>
${agents.map((agent) => evidence(agent, why.report.run))}
${next.length === 0 ? null : html`<h3>To continue</h3><pre>${next.join("\n")}</pre>`}`;
}

function evidence({ agent, evidence: found }: AgentWhy, run: RunState): Html | null {
  const hint = (agent.living && errorOf(agent.living)?.hint) ?? null;
  const { conversation } = agent;
  const lines = found?.lines ?? [];
  const open = conversation && openCommand(conversation, run);
  if (lines.length === 0 && hint === null && open === null) return null;
  return html`<h3>${agent.id}${found === null ? "" : `, step ${String(found.step)}`}</h3>
${lines.length === 0 ? null : html`<pre>${lines.join("\n")}</pre>`}
${hint === null ? null : html`<p>Hint: ${hint}</p>`}
${open === null ? null : html`<p class="dim">Its conversation: <code>${open}</code></p>`}`;
}

function valueWords(value: unknown): string {
  if (value === null) return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function commandsOf({ why }: RunReport): Html {
  const { run, program, debug } = why.report;
  const rows: readonly (readonly [string, string])[] = [
    ["its current status, and why", `${program} why ${run.id}`],
    ["its steps, and one of them in detail", `${program} show ${run.id} ${String(run.processes)}`],
    ["its output", `${program} logs ${run.id}`],
    ["this page again", `${program} report ${run.id} --html --output report.html`],
    ...(debug === null ? [] : [["prompts, streams and output", debug] as const]),
  ];
  return facts(rows.map(([name, value]) => [name, html`<code>${value}</code>`]));
}
