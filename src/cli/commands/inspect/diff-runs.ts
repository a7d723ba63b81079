import type { Command } from "commander";
import {
  type ComparedRun,
  type DiffOptions,
  diffRuns,
  type RunsDiff,
} from "../../../inspect/history/diff-runs.ts";
import { runsDiffJson } from "../../../inspect/json/runs-diff-json.ts";
import {
  countedFrom,
  divergenceHead,
  divergenceLines,
  figureRows,
  headOf,
  stateRows,
} from "../../../inspect/json/runs-diff-words.ts";
import { counted } from "../../../language/basics/counted.ts";
import type { AgentMove } from "../../../log/agent-moves.ts";
import { printable } from "../../../log/printable.ts";
import { printJson } from "../../output.ts";
import { actionOnRuns, JSON_OBJECT, RUN_HELP, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { inColour } from "../../testing/text.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { type Alignment, formatTable } from "../../words/table.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<run>", RUN_HELP)
    .argument("<other>", "The run to compare it with")
    .option(...JSON_OBJECT);
  runSelection(command).action(actionOnRuns(shell, diffRunsCommand));
}

interface Options extends DiffOptions {
  readonly json?: true;
}

/** Returns 1 if the runs diverge. */
export async function diffRunsCommand(options: Options, shell: Shell): Promise<ExitCode> {
  const diff = await diffRuns(options, shell);
  if (options.json === true) printJson(shell.out, runsDiffJson(diff));
  else for (const line of formatRunsDiff(diff)) shell.out.line(inColour(line, shell.style));
  return diff.divergences.length === 0 ? EXIT.completed : EXIT.failed;
}

function formatRunsDiff(diff: RunsDiff): readonly string[] {
  const { otherResults } = diff;
  const json = runsDiffJson(diff);
  const from = countedFrom(json);
  const shown = json.divergences.slice(0, MOST_AGENTS);
  const more = json.divergences.length - shown.length;
  return [
    headOf(json),
    ...(from === null ? [] : [from]),
    ...shown.flatMap((divergence) => [
      "",
      divergenceHead(divergence),
      ...divergenceLines(divergence).map((line) => `  ${line}`),
    ]),
    ...(more === 0
      ? []
      : ["", `… and ${counted(more, "more agent")}: for all of them, add --json.`]),
    ...commandsOf(diff),
    "",
    ...formatTable(figureRows(json), ALIGNMENTS),
    "",
    ...formatTable(stateRows(json), ALIGNMENTS),
    ...(otherResults.length === 0
      ? []
      : [
          "",
          `Other results: ${otherResults.slice(0, MOST_AGENTS).join(", ")}${otherResults.length > MOST_AGENTS ? " …" : ""}`,
        ]),
  ].map(printable);
}

const MOST_AGENTS = 8;

function commandsOf({ left, right, divergences }: RunsDiff): readonly string[] {
  const [first] = divergences;
  if (first === undefined) return [];
  const show = ({ program, run }: ComparedRun, way: AgentMove | null) =>
    way === null ? [] : [`  ${program} show ${run.id} ${String(way.step)}`];
  return ["", "Show these steps with:", ...show(left, first.left), ...show(right, first.right)];
}

const ALIGNMENTS: readonly Alignment[] = ["left", "right", "right", "right"];
