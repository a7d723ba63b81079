import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { diffLines } from "../../language/basics/line-diff.ts";
import { formatUsd, toMicroUsd } from "../../language/basics/money.ts";
import type { AgentMove } from "../../log/agent-moves.ts";
import type { ComparedJson, RunsDiffJson } from "./shapes.ts";

/**
 * Texts about two compared runs, for terminals and the dashboard page: imports no Node.js module.
 * Names are not escaped.
 */

export type DivergenceJson = RunsDiffJson["divergences"][number];

export function headOf({ left, right, divergences }: RunsDiffJson): string {
  const [one, two] = [left.workflow_id, right.workflow_id];
  const [first] = divergences;
  if (one === two) return `${one} is a single run: name another one to compare it with.`;
  const on = [left, right].filter(({ in_progress }) => in_progress).map((run) => run.workflow_id);
  const later =
    on.length === 0 ? "" : ` ${on.join(" and ")} still in progress: this is the current state.`;
  if (first === undefined) return `${one} and ${two} went the same way.${later}`;
  const { agent, same } = first;
  const are = same === 1 ? "that is the same" : "that are the same";
  const where = same === 0 ? "at its first step" : `after ${counted(same, "step")} ${are}`;
  return `${one} and ${two} went different ways: ${agent} first, ${where}.${later}`;
}

/** Notes that the figures of a rerun exclude its original run; null for other runs. */
export function countedFrom({ left, right }: RunsDiffJson): string | null {
  const ofPair = [
    [left, right],
    [right, left],
  ] as const;
  const [words] = ofPair.flatMap(([{ workflow_id: id, origin }, other]) =>
    origin?.run !== other.workflow_id
      ? []
      : `${id} was started from step ${String(origin.step)} of ${other.workflow_id}. Its figures start there.`,
  );
  return words ?? null;
}

export function divergenceHead({ agent, left, right }: DivergenceJson): string {
  const step = (way: AgentMove | null) =>
    way === null ? "nothing more" : `step ${String(way.step)}`;
  return `${agent}: - ${step(left)} of the first run, + ${step(right)} of the other`;
}

/** Moves around the divergence: `- ` the first run, `+ ` the other. */
export function divergenceLines({ around }: DivergenceJson): readonly string[] {
  const words = (moves: readonly AgentMove[]) => moves.map(({ state, way }) => `${state}  ${way}`);
  return diffLines(words(around.left), words(around.right));
}

/** The first row contains the run ids. */
export function figureRows({ left, right }: RunsDiffJson): readonly (readonly string[])[] {
  const row = (
    name: string,
    of: (run: ComparedJson) => number,
    words: (value: number) => string,
  ) => [name, words(of(left)), words(of(right)), signed(of(right) - of(left), words)];
  const count = (value: number) => value.toLocaleString("en-US");
  return [
    ["", left.workflow_id, right.workflow_id, "difference"],
    ["status", left.status, right.status],
    row("cost", ({ cost_usd }) => toMicroUsd(cost_usd), formatUsd),
    row("time of all steps", ({ worked_ms }) => worked_ms, formatDuration),
    row("from start to end", ({ elapsed_ms }) => elapsed_ms, formatDuration),
    row("steps", ({ steps }) => steps, count),
    row("attempts", ({ attempts }) => attempts, count),
    row("failures", ({ failures }) => failures, count),
    row("agents", ({ agents }) => agents, count),
    row("tokens in", tokensIn, count),
    row("tokens out", ({ totals }) => totals.tokens.output, count),
  ];
}

function tokensIn({ totals: { tokens } }: ComparedJson): number {
  return tokens.input + tokens.cache_read + tokens.cache_write;
}

type StateJson = RunsDiffJson["states"][number];

/** Attempts, cost and time by state, largest difference in cost first. */
export function stateRows({ states }: RunsDiffJson): readonly (readonly string[])[] {
  const away = (state: StateJson) => Math.abs(dearer(state));
  const most = states.toSorted((a, b) => away(b) - away(a)).slice(0, MOST_STATES);
  const more = states.length - most.length;
  return [
    ["state", "", "", ""],
    ...most.map((of) => [
      of.state,
      sumWords(of.left),
      sumWords(of.right),
      signed(dearer(of), formatUsd),
    ]),
    ...(more === 0 ? [] : [[`… ${counted(more, "more state")}`]]),
  ];
}

const MOST_STATES = 30;

function dearer({ left, right }: StateJson): number {
  return paidFor(right) - paidFor(left);
}

function paidFor({ cost_usd, estimated_usd }: StateJson["left"]): number {
  return toMicroUsd(cost_usd) + toMicroUsd(estimated_usd);
}

function sumWords(sums: StateJson["left"]): string {
  if (sums.attempts === 0) return "–";
  const took = formatDuration(sums.duration_s * 1_000);
  return `${String(sums.attempts)}×  ${formatUsd(paidFor(sums))}  ${took}`;
}

function signed(difference: number, words: (value: number) => string): string {
  if (difference === 0) return "–";
  return `${difference > 0 ? "+" : "-"}${words(Math.abs(difference))}`;
}
