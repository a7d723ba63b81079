import { counted } from "../../core/counted.ts";
import { printable } from "../../observers/printable.ts";
import type { TakenWay } from "../../observers/taken-ways.ts";
import {
  type ComparedRun,
  type DiffOptions,
  diffRuns,
  type RunsDiff,
} from "../../runs/diff-runs.ts";
import { runsDiffJson } from "../../runs/json/runs-diff-json.ts";
import {
  countedFrom,
  departureHead,
  departureLines,
  figureRows,
  headOf,
  stateRows,
} from "../../runs/json/runs-diff-words.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { type Alignment, formatTable } from "../table.ts";
import { inColour } from "../testing/text.ts";

interface Options extends DiffOptions {
  readonly json?: true;
}

/** `raymond diff-runs A B`: two runs beside each other. Returns 1 where they went different ways. */
export async function diffRunsCommand(options: Options, shell: Shell): Promise<ExitCode> {
  const diff = await diffRuns(options, shell);
  if (options.json === true) printJson(shell.out, runsDiffJson(diff));
  else for (const line of formatRunsDiff(diff)) shell.out.line(inColour(line, shell.style));
  return diff.departures.length === 0 ? EXIT.completed : EXIT.failed;
}

/** Where they departed first, agent by agent, and what both have cost and taken. */
function formatRunsDiff(diff: RunsDiff): readonly string[] {
  const { otherResults } = diff;
  const json = runsDiffJson(diff);
  const from = countedFrom(json);
  const shown = json.departures.slice(0, MOST_AGENTS);
  const more = json.departures.length - shown.length;
  return [
    headOf(json),
    ...(from === null ? [] : [from]),
    ...shown.flatMap((departure) => [
      "",
      departureHead(departure),
      ...departureLines(departure).map((line) => `  ${line}`),
    ]),
    ...(more === 0 ? [] : ["", `… and ${counted(more, "more agent")}: --json tells of all.`]),
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

/** What shows the two steps whole. */
function commandsOf({ left, right, departures }: RunsDiff): readonly string[] {
  const [first] = departures;
  if (first === undefined) return [];
  const show = ({ program, run }: ComparedRun, way: TakenWay | null) =>
    way === null ? [] : [`  ${program} show ${run.id} --step ${String(way.step)}`];
  return ["", "Look at it with:", ...show(left, first.left), ...show(right, first.right)];
}

const ALIGNMENTS: readonly Alignment[] = ["left", "right", "right", "right"];
