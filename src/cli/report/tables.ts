import { allowWords } from "../../console/allow-flag.ts";
import { formatActor } from "../../console/format/format-actor.ts";
import { localTime } from "../../console/local-time.ts";
import type { CostRow } from "../../inspect/costs.ts";
import type { RunReport } from "../../inspect/run-report.ts";
import type { LoggedFailure } from "../../log/logged-failures.ts";
import type { LoggedQuestion } from "../../log/logged-questions.ts";
import type { DenialCount } from "../../machine/model/denial.ts";
import { totalCost } from "../../machine/model/totals.ts";
import { COST_HEADINGS, costCells } from "../commands/inspect/cost.ts";
import { followingWords, STEP_HEADINGS, stepRow } from "../history/timeline.ts";
import { type Content, cutWords, type Html, html, table } from "./html.ts";

/** A table for each of {@link costsOf}, with its total. */
export function costTables({ why, costs }: RunReport): Html {
  const { totals } = why.report.run;
  const all = totalCost(totals);
  const columns = [...COST_HEADINGS.map((title) => `${title}:right`), "share"];
  const cells = ({ name, sums }: CostRow): readonly Content[] => {
    const share = all === 0 ? 0 : Math.round((100 * totalCost(sums)) / all);
    const bar = html`${share} %<span class="share"><i style="width:${share}%"></i></span>`;
    return [name, ...costCells(sums), bar];
  };
  return html`${costs.map(
    ({ noun, rows }) => html`
<h3>By ${noun}</h3>
${table([noun, ...columns], rows.slice(0, MOST_ROWS).map(cells), ["total", ...costCells(totals), null])}
${more(rows.length - MOST_ROWS, `cheaper ${noun}`)}`,
  )}`;
}

export function questionTable(questions: readonly LoggedQuestion[]): Html | null {
  if (questions.length === 0) return null;
  const shown = questions.slice(-MOST_ROWS);
  const rows = shown.map(({ agent, state, question, options, askedAt, end }) => [
    localTime(askedAt),
    withNote(agent, state),
    withNote(cutWords(question), options === null ? null : options.join(" | ")),
    answerOf(end),
  ]);
  return html`
${table(["asked:once", "agent", "question:words", "answer:words"], rows)}
${more(questions.length - shown.length, "earlier question")}`;
}

function answerOf(end: LoggedQuestion["end"]): Html {
  switch (end.kind) {
    case "open":
      return html`<span class="warn">open</span>`;
    case "unanswered":
      return html`<span class="warn">no answer in time</span>`;
    case "answered": {
      const who = `${localTime(end.at)}, by ${formatActor(end.by)} (${end.by.via})`;
      return withNote(cutWords(end.answer), who);
    }
  }
}

/** Who started and controlled the run. Null if that was not recorded. */
export function commandTable({ why }: RunReport): Html | null {
  const commands = why.report.history?.commands ?? [];
  if (commands.length === 0) return null;
  const rows = commands
    .slice(-MOST_ROWS)
    .map(({ at, action, agent, actor, detail }) => [
      localTime(Date.parse(at)),
      withNote(action, agent),
      formatActor(actor),
      detail === null ? "" : cutWords(detail),
    ]);
  return html`
${table(["at:once", "command", "by", "detail:words"], rows)}
${more(commands.length - MOST_ROWS, "earlier command")}`;
}

/** Failed steps and their consequences, and denied tool calls. */
export function failureTable({ failures, why }: RunReport): Html | null {
  const denied = why.report.run.denied ?? [];
  if (failures.length + denied.length === 0) return null;
  return html`${failures.length === 0 ? null : failedSteps(failures)}${denied.length === 0 ? null : deniedCalls(denied, why.report.allow)}`;
}

function deniedCalls(denied: readonly DenialCount[], allow: string | null): Html {
  const shown = denied.slice(0, MOST_ROWS);
  const rows = shown.map(({ state, tool, input, count }) => [state, tool, cutWords(input), count]);
  const words = allow === null ? "" : allowWords(allow);
  return html`<h3>Tool calls that were denied</h3>${table(["state", "tool", "what:words", "times:right"], rows)}
${more(denied.length - shown.length, "other one")}
${allow === null ? null : html`<p>${words.charAt(0).toUpperCase()}${words.slice(1)}: <code>${allow}</code></p>`}`;
}

function failedSteps(failures: readonly LoggedFailure[]): Html {
  const shown = failures.slice(-MOST_ROWS);
  const rows = shown.map(({ step, at, agent, state, problem, hint, next, ...failure }) => ({
    look: next === "failed" ? "broken" : "",
    cells: [
      ...[step, localTime(at), withNote(agent, state), failure.class],
      withNote(cutWords(problem ?? ""), hint === null ? null : cutWords(hint)),
      next === null ? "" : NEXT[next],
    ],
  }));
  return html`
${table(["step:right", "at:once", "agent", "what", "why:words", "then"], rows)}
${more(failures.length - shown.length, "earlier one")}`;
}

export function changeTable({ why, changes }: RunReport): Html | null {
  if (changes === null || changes.length === 0) return null;
  const shown = changes.slice(0, MOST_ROWS);
  const rows = shown.map(({ file, kind, added, removed }) => ({
    look: "",
    cells: [file, kind, added === null ? "binary" : String(added), String(removed ?? "")],
  }));
  const { program, run } = why.report;
  return html`
${table(["file:words", "change", "added:right", "removed:right"], rows)}
${more(changes.length - shown.length, "more file")}
<p class="dim">The diff: <code>${program} diff ${run.id}</code></p>`;
}

const NEXT: { readonly [T in NonNullable<LoggedFailure["next"]>]: string } = {
  failed: "the agent failed",
  retried: "was retried",
  diverted: "continued in another state",
  continued: "continued where it was cut off",
};

/** The last steps, and the command that shows earlier ones. */
export function stepTable({ why, steps, running, leftOut }: RunReport): Html | null {
  const shown = steps.slice(-MOST_STEPS);
  const [first] = shown;
  if (first === undefined) return null;
  const { program, run } = why.report;
  const before = first.started.event.process;
  const isCut = leftOut + steps.length > shown.length;
  const rows = shown.map((step) => {
    const { started, ended } = step;
    const hasFailed = ended === null ? !running.has(started.event.process) : !ended.event.ok;
    const following = followingWords(step).map((text) => html`<div>${text}</div>`);
    return {
      look: hasFailed ? "broken" : "",
      cells: [...stepRow(step, running, localTime), following],
    };
  });
  return html`
${isCut ? html`<p class="dim">The last ${shown.length} of ${run.processes}. Earlier steps: <code>${program} show ${run.id} --before ${before}</code></p>` : null}
${table(
  STEP_HEADINGS.map((title, at) => `${title}:${STEP_LOOKS[at] ?? ""}`),
  rows,
)}`;
}

/** The classes of the cells of {@link STEP_HEADINGS}. */
const STEP_LOOKS = ["right", "once", "once name", "name", "once", "once", "once", "words"] as const;

/** Maximum rows of a table, so that the page stays small. */
const MOST_ROWS = 100;
const MOST_STEPS = 500;

function more(count: number, noun: string): Html | null {
  if (count <= 0) return null;
  return html`<p class="dim">Left out: ${count} ${noun}${count === 1 ? "" : "s"}.</p>`;
}

function withNote(text: string, note: string | null): Html {
  return html`${text}${note === null ? null : html`<br><span class="dim">${note}</span>`}`;
}
