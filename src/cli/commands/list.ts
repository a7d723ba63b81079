import { BadFlagError } from "../../config/errors.ts";
import { counted } from "../../core/counted.ts";
import { shownQuestion } from "../../core/machine/question.ts";
import { RUN_STATUSES } from "../../core/machine/run-state.ts";
import { printable } from "../../observers/printable.ts";
import { answerAdvice } from "../../observers/summary.ts";
import type { RunSummary } from "../../ports/store.ts";
import { summaryJson } from "../../runs/json/summary-json.ts";
import { list } from "../../runs/list.ts";
import { nextStep } from "../../runs/wire/next-step.ts";
import { RUN_COLUMNS, runCells, runHeadings } from "../run-table.ts";
import type { Shell } from "../shell.ts";
import { shortIds } from "../short-ids.ts";
import { fitTable } from "../table.ts";

interface ListOptions {
  readonly all?: true;
  readonly status?: string;
  readonly json?: true;
  readonly stateDir?: string;
}

/** `raymond list`: the runs of this project, last started first, for people or for scripts. */
export async function listCommand(options: ListOptions, shell: Shell): Promise<void> {
  const status = options.status === undefined ? null : parseStatus(options.status);
  const { root, runs } = await list(options, shell);
  const wanted = runs.filter((run) => status === null || run.status === status);
  const shown = options.all === true ? wanted : wanted.slice(0, LAST);
  if (options.json === true) {
    for (const run of shown) shell.out.line(JSON.stringify(summaryJson(run)));
    return;
  }
  for (const line of formatList(shown, runs, shell)) shell.out.line(line);
  const hidden = wanted.length - shown.length;
  if (hidden > 0) {
    shell.err.line(
      `${counted(hidden, "older run")} ${hidden === 1 ? "is" : "are"} not shown (--all shows all).`,
    );
  } else if (runs.length === 0) {
    shell.err.line(`There are no runs in ${root}. ${await nextStep(shell)}`);
  } else if (wanted.length === 0) {
    shell.err.line(`None of the ${counted(runs.length, "run")} is ${status ?? ""}.`);
  }
}

/** So many runs are shown without `--all`. */
const LAST = 20;

export const STATUSES: readonly RunSummary["status"][] = [
  ...RUN_STATUSES,
  "crashed",
  "queued",
  "held",
  "unreadable",
];

function parseStatus(wanted: string): RunSummary["status"] {
  const known = STATUSES.find((status) => status === wanted);
  if (known !== undefined) return known;
  throw new BadFlagError("--status", wanted, `one of ${STATUSES.join(", ")}`);
}

/** A table for people; `all` are the runs from which the short names tell them apart. */
function formatList(
  shown: readonly RunSummary[],
  all: readonly RunSummary[],
  { cwd, now, outColumns, asCalled }: Shell,
): readonly string[] {
  if (shown.length === 0) return [];
  const at = now();
  const view = { now: at, cwd, names: shortIds(all.map(({ id }) => id)) };
  const rows = [runHeadings(at), ...shown.map((run) => runCells(run, view))];
  const problems = shown.flatMap(({ id, problem }) =>
    problem === null ? [] : [printable(`${view.names.get(id) ?? id}: ${problem}`)],
  );
  const questions = shown
    .flatMap((run) => questionLines(run, view.names.get(run.id) ?? run.id))
    .map(asCalled);
  return [...fitTable(rows, RUN_COLUMNS, outColumns), ...problems, ...questions];
}

/** What a run asks, and how it is answered. */
function questionLines(run: RunSummary, name: string): readonly string[] {
  const questions = run.questions.filter(({ answered }) => !answered);
  return questions.map(({ agent, question, options }) => {
    const asked = question === null ? "a long question" : shownQuestion({ question, options });
    const command = answerAdvice({ id: name, questions }, { agent });
    return printable(`${name}: ${agent} asks: ${asked}  answer with: ${command}`);
  });
}
