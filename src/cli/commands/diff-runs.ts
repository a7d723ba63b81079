import { counted } from "../../core/counted.ts";
import { formatDuration } from "../../core/duration.ts";
import { paid } from "../../core/machine/sums.ts";
import { formatUsd } from "../../core/money.ts";
import { printable } from "../../observers/printable.ts";
import type { TakenWay } from "../../observers/taken-ways.ts";
import {
  type ComparedRun,
  type DiffOptions,
  diffRuns,
  type RunsDeparture,
  type RunsDiff,
  type StateDiff,
} from "../../runs/diff-runs.ts";
import { runsDiffJson } from "../../runs/json/runs-diff-json.ts";
import { diffLines } from "../../runs/text-diff.ts";
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
export function formatRunsDiff(diff: RunsDiff): readonly string[] {
  const { left, right, departures, otherResults } = diff;
  const shown = departures.slice(0, MOST_AGENTS);
  return [
    ...headOf(diff),
    ...shown.flatMap((departure) => ["", ...departureLines(departure)]),
    ...(shown.length === departures.length
      ? []
      : [
          "",
          `… and ${counted(departures.length - shown.length, "more agent")}: --json tells of all.`,
        ]),
    ...commandsOf(diff),
    "",
    ...formatTable(sumRows(left, right), ALIGNMENTS),
    "",
    ...formatTable(stateRows(diff), ALIGNMENTS),
    ...(otherResults.length === 0
      ? []
      : [
          "",
          `Other results: ${otherResults.slice(0, MOST_AGENTS).join(", ")}${otherResults.length > MOST_AGENTS ? " …" : ""}`,
        ]),
  ].map(printable);
}

const MOST_AGENTS = 8;

function headOf({ left, right, departures }: RunsDiff): readonly string[] {
  const [one, two] = [left.run.id, right.run.id];
  const [first] = departures;
  if (one === two) return [`${one} is one run: there is nothing to compare it with.`];
  const on = [left, right].filter(({ goesOn }) => goesOn).map(({ run }) => run.id);
  const later =
    on.length === 0 ? "" : ` ${on.join(" and ")} still runs: this is how it stands now.`;
  if (first === undefined) return [`${one} and ${two} went the same way.${later}`];
  const { agent, same } = first;
  const where =
    same === 0 ? "at its first step" : `after ${counted(same, "step")} that are the same`;
  return [`${one} and ${two} went different ways: ${agent} first, ${where}.${later}`];
}

function departureLines({ agent, left, right, around }: RunsDeparture): readonly string[] {
  const step = (way: TakenWay | null) =>
    way === null ? "nothing more" : `step ${String(way.step)}`;
  const words = (ways: readonly TakenWay[]) => ways.map(({ state, way }) => `${state}  ${way}`);
  return [
    `${agent}: - ${step(left)} of the first run, + ${step(right)} of the other`,
    ...diffLines(words(around.left), words(around.right)).map((line) => `  ${line}`),
  ];
}

/** What shows the two steps whole. */
function commandsOf({ left, right, departures }: RunsDiff): readonly string[] {
  const [first] = departures;
  if (first === undefined) return [];
  const show = ({ program, run }: ComparedRun, way: TakenWay | null) =>
    way === null ? [] : [`  ${program} show ${run.id} --step ${String(way.step)}`];
  return ["", "Look at it with:", ...show(left, first.left), ...show(right, first.right)];
}

const ALIGNMENTS: readonly Alignment[] = ["left", "right", "right", "right"];

function sumRows(left: ComparedRun, right: ComparedRun): readonly (readonly string[])[] {
  const row = (name: string, of: (run: ComparedRun) => number, words: (value: number) => string) =>
    rowOf(name, of(left), of(right), words);
  const count = (value: number) => value.toLocaleString("en-US");
  return [
    ["", left.run.id, right.run.id, "difference"],
    ["status", left.status, right.status],
    row("cost", ({ spentMicroUsd }) => spentMicroUsd, formatUsd),
    row("time of all steps", ({ workedMs }) => workedMs, formatDuration),
    row("from start to end", ({ elapsedMs }) => elapsedMs, formatDuration),
    row("steps", ({ run }) => run.steps, count),
    row("attempts", ({ run }) => run.totals.attempts, count),
    row("failures", ({ failures }) => failures, count),
    row("agents", ({ agents }) => agents, count),
    row("tokens in", ({ run: { totals } }) => tokensIn(totals.tokens), count),
    row("tokens out", ({ run: { totals } }) => totals.tokens.output, count),
  ];
}

function tokensIn({ input, cacheRead, cacheWrite }: RunTokens): number {
  return input + cacheRead + cacheWrite;
}

type RunTokens = ComparedRun["run"]["totals"]["tokens"];

/** Attempts, cost and time of each state, those that differ most in cost first. */
function stateRows({ states }: RunsDiff): readonly (readonly string[])[] {
  const away = ({ left, right }: StateDiff) => Math.abs(paid(right) - paid(left));
  const most = states.toSorted((a, b) => away(b) - away(a)).slice(0, MOST_STATES);
  const more = states.length - most.length;
  const words = (sums: StateDiff["left"]) =>
    sums.attempts === 0
      ? "–"
      : `${String(sums.attempts)}×  ${formatUsd(paid(sums))}  ${formatDuration(sums.durationMs)}`;
  return [
    ["state", "", "", ""],
    ...most.map(({ state, left, right }) => [
      state,
      words(left),
      words(right),
      signed(paid(right) - paid(left), formatUsd),
    ]),
    ...(more === 0 ? [] : [[`… ${counted(more, "more state")}`]]),
  ];
}

const MOST_STATES = 30;

function rowOf(name: string, left: number, right: number, words: (value: number) => string) {
  return [name, words(left), words(right), signed(right - left, words)];
}

function signed(difference: number, words: (value: number) => string): string {
  if (difference === 0) return "–";
  return `${difference > 0 ? "+" : "-"}${words(Math.abs(difference))}`;
}
