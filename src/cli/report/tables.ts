import { allowWords } from "../../console/allow-flag.ts";
import { localTime } from "../../console/local-time.ts";
import type { CostRow } from "../../inspect/costs.ts";
import type { RunReport } from "../../inspect/run-report.ts";
import type { DenialCount } from "../../log/event-history.ts";
import type { LoggedFailure } from "../../log/logged-failures.ts";
import type { LoggedQuestion } from "../../log/logged-questions.ts";
import { totalCost } from "../../machine/spend/totals.ts";
import { COST_HEADINGS, costCells } from "../commands/inspect/cost.ts";
import { followingWords, STEP_HEADINGS, stepRow } from "../history/timeline.ts";
import { cutWords } from "./cut-words.ts";
import { type Html, html } from "./html.ts";

/** Cost by agent, state and model, each table with its total. */
export function costTables({ why, costs }: RunReport): Html {
  const { totals } = why.report.run;
  const all = totalCost(totals);
  return html`${costs.map(
    ({ noun, rows }) => html`
<h3>By ${noun}</h3>
<div class="wide"><table><thead><tr><th>${noun}</th>${COST_HEADINGS.map((title) => html`<th class="right">${title}</th>`)}<th>share</th></tr></thead>
<tbody>${rows.slice(0, MOST_ROWS).map((row) => costRow(row, all))}</tbody>
<tfoot><tr><td>total</td>${costCells(totals).map(number)}<td></td></tr></tfoot></table></div>
${more(rows.length - MOST_ROWS, `cheaper ${noun}`)}`,
  )}`;
}

function costRow({ name, sums }: CostRow, all: number): Html {
  const share = all === 0 ? 0 : Math.round((100 * totalCost(sums)) / all);
  return html`<tr><td>${name}</td>${costCells(sums).map(number)}<td>${String(share)} %<span class="share"><i style="width:${share}%"></i></span></td></tr>
`;
}

export function questionTable(questions: readonly LoggedQuestion[]): Html | null {
  if (questions.length === 0) return null;
  const shown = questions.slice(-MOST_ROWS);
  return html`
<div class="wide"><table><thead><tr><th>asked</th><th>agent</th><th>question</th><th>answer</th></tr></thead>
<tbody>${shown.map(questionRow)}</tbody></table></div>
${more(questions.length - shown.length, "earlier question")}`;
}

function questionRow({ agent, state, question, options, askedAt, end }: LoggedQuestion): Html {
  const choices =
    options === null ? null : html`<br><span class="dim">${options.join(" | ")}</span>`;
  return html`<tr><td class="once">${localTime(askedAt)}</td><td>${agent}<br><span class="dim">${state}</span></td><td class="words">${cutWords(question)}${choices}</td><td class="words">${answerOf(end)}</td></tr>
`;
}

function answerOf(end: LoggedQuestion["end"]): Html {
  switch (end.kind) {
    case "open":
      return html`<span class="warn">open</span>`;
    case "unanswered":
      return html`<span class="warn">no answer in time</span>`;
    case "answered": {
      const { user, host, via } = end.by;
      const who = [user, host].filter((part) => part !== null).join(" on ");
      return html`${cutWords(end.answer)}<br><span class="dim">${localTime(end.at)}, ${who === "" ? "" : `${who}, `}by ${via}</span>`;
    }
  }
}

/** Failed steps and their consequences, and denied tool calls. */
export function failureTable({ failures, why }: RunReport): Html | null {
  const denied = why.report.history?.denials ?? [];
  if (failures.length + denied.length === 0) return null;
  return html`${failures.length === 0 ? null : failedSteps(failures)}${denied.length === 0 ? null : deniedCalls(denied, why.report.allow)}`;
}

function deniedCalls(denied: readonly DenialCount[], allow: string | null): Html {
  const shown = denied.slice(0, MOST_ROWS);
  return html`<h3>Tool calls that were denied</h3>
<div class="wide"><table><thead><tr><th>tool</th><th>what</th><th class="right">times</th></tr></thead>
<tbody>${shown.map(({ tool, input, count }) => html`<tr><td>${tool}</td><td class="words">${cutWords(input)}</td><td class="right">${count}</td></tr>`)}</tbody></table></div>
${more(denied.length - shown.length, "other one")}
${allow === null ? null : html`<p>${capital(allowWords(allow))}: <code>${allow}</code></p>`}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function failedSteps(failures: readonly LoggedFailure[]): Html {
  const shown = failures.slice(-MOST_ROWS);
  return html`
<div class="wide"><table><thead><tr><th class="right">step</th><th>at</th><th>agent</th><th>what</th><th>why</th><th>then</th></tr></thead>
<tbody>${shown.map(failureRow)}</tbody></table></div>
${more(failures.length - shown.length, "earlier one")}`;
}

function failureRow(failure: LoggedFailure): Html {
  const { step, at, agent, state, problem, hint, next } = failure;
  const way = hint === null ? null : html`<br><span class="dim">${cutWords(hint)}</span>`;
  return html`<tr class="${next === "failed" ? "broken" : ""}"><td class="right">${step}</td><td class="once">${localTime(at)}</td><td>${agent}<br><span class="dim">${state}</span></td><td>${failure.class}</td><td class="words">${cutWords(problem ?? "")}${way}</td><td>${next === null ? "" : NEXT[next]}</td></tr>
`;
}

const NEXT: { readonly [T in NonNullable<LoggedFailure["next"]>]: string } = {
  failed: "the agent failed",
  retried: "was retried",
  diverted: "went another way",
  continued: "continued where it was cut off",
};

/** The last steps, and the command that shows earlier ones. */
export function stepTable({ why, steps, running, leftOut }: RunReport): Html | null {
  const shown = steps.slice(-MOST_STEPS);
  const [first] = shown;
  if (first === undefined) return null;
  const { program, run } = why.report;
  const before = first.started.event.process;
  const earlier = leftOut + steps.length > shown.length;
  return html`
${earlier ? html`<p class="dim">The last ${shown.length} of ${run.processes}. Earlier steps: <code>${program} show ${run.id} --before ${before}</code></p>` : null}
<div class="wide"><table><thead><tr>${STEP_HEADINGS.map((title, at) => html`<th class="${at === 0 ? "right" : ""}">${title}</th>`)}</tr></thead>
<tbody>${shown.map((step) => {
    const [number_ = "", ...cells] = stepRow(step, running, localTime);
    const bad =
      step.ended === null ? !running.has(step.started.event.process) : !step.ended.event.ok;
    return html`<tr class="${bad ? "broken" : ""}"><td class="right">${number_}</td>${cells.map((cell, at) => html`<td class="${CLASSES[at] ?? ""}">${cell}</td>`)}<td class="words">${followingWords(step).map((text) => html`<div>${text}</div>`)}</td></tr>
`;
  })}</tbody></table></div>`;
}

/** Of the cells behind the number of a step: when, agent, state, took, cost, context. */
const CLASSES = ["once", "once name", "name", "once", "once", "once"] as const;

/** Maximum rows of a table, so that the page stays small. */
const MOST_ROWS = 100;
const MOST_STEPS = 500;

function more(count: number, noun: string): Html | null {
  if (count <= 0) return null;
  return html`<p class="dim">Left out: ${count} ${noun}${count === 1 ? "" : "s"}.</p>`;
}

function number(cell: string): Html {
  return html`<td class="right">${cell}</td>`;
}
