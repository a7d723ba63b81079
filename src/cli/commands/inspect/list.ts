import { type Command, Option } from "commander";
import { answerAdvice } from "../../../console/summary.ts";
import type { RunSummary } from "../../../engine/ports/store.ts";
import { summaryJson } from "../../../inspect/json/report-json.ts";
import { list } from "../../../inspect/list.ts";
import { counted } from "../../../language/basics/counted.ts";
import { printable } from "../../../log/printable.ts";
import { runTail } from "../../../machine/model/run-id.ts";
import { RUN_STATUSES, type RunId } from "../../../machine/model/run-state.ts";
import { formatQuestion } from "../../../machine/moves/question.ts";
import { nextStep } from "../../../wire/engine/next-step.ts";
import { actionOnRuns, JSON_LINES, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { RUN_COLUMNS, runCells, runHeadings } from "../../words/run-table.ts";
import { fitTable } from "../../words/table.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option("--all", "List all runs, not only the last 20")
    .addOption(new Option("--status <status>", "Only runs with this status").choices(STATUSES))
    .option(...JSON_LINES);
  runSelection(command).action(actionOnRuns(shell, listCommand));
}

interface ListOptions {
  readonly all?: true;
  readonly status?: RunSummary["status"];
  readonly json?: true;
  readonly stateDir?: string;
}

export async function listCommand(options: ListOptions, shell: Shell): Promise<void> {
  const { status = null } = options;
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
    shell.err.line(`${counted(hidden, "older run")} not shown. To list all runs, add --all.`);
  } else if (runs.length === 0) {
    shell.err.line(`No runs in ${root}. ${await nextStep(shell)}`);
  } else if (wanted.length === 0) {
    shell.err.line(
      `No run has the status ${status ?? ""} (${counted(runs.length, "run")} in all).`,
    );
  }
}

const LAST = 20;

const STATUSES: readonly RunSummary["status"][] = [
  ...RUN_STATUSES,
  "crashed",
  "queued",
  "held",
  "unreadable",
];

/** `all`: the runs among which the short names are unique. */
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

function questionLines(run: RunSummary, name: string): readonly string[] {
  const questions = run.questions.filter(({ answered }) => !answered);
  return questions.map(({ agent, question, options }) => {
    const asked = question === null ? "a long question" : formatQuestion({ question, options });
    const command = answerAdvice({ id: name, questions }, { agent });
    return printable(`${name}: ${agent} asks: ${asked}  Answer with: ${command}`);
  });
}

/** The shortest unique name of each run that every command accepts: the tail of its id, or the id. */
export function shortIds(ids: readonly RunId[]): ReadonlyMap<RunId, string> {
  return new Map(ids.map((id) => [id, shortId(id, ids)]));
}

function shortId(id: RunId, ids: readonly RunId[]): string {
  const tail = runTail(id);
  if (tail === null) return id;
  const alone = ids.every((other) => {
    return other === id || (runTail(other) !== tail && !other.startsWith(tail));
  });
  return alone ? tail : id;
}
