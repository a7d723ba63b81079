import type { Command } from "commander";
import { isSimulated } from "../../../engine/ports/backend.ts";
import {
  type ConversationContext,
  cacheShare,
  contextsOf,
  costsOf,
} from "../../../inspect/costs.ts";
import { costJson } from "../../../inspect/json/report-json.ts";
import { type RunView, readRun } from "../../../inspect/run-view.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { formatUsd } from "../../../language/basics/money.ts";
import { formatShare } from "../../../language/basics/tokens.ts";
import { printable } from "../../../log/printable.ts";
import { spent } from "../../../machine/model/run-state.ts";
import type { Totals } from "../../../machine/model/totals.ts";
import type { Wanted } from "../../../wire/stores.ts";
import { printJson } from "../../output.ts";
import { actionOnRuns, JSON_OBJECT, runArgument, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { type Alignment, formatTable } from "../../words/table.ts";
import { originSentence } from "../../words/words.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .option("--context", "Also show how full each conversation is")
    .option(...JSON_OBJECT);
  runSelection(command).action(actionOnRuns(shell, costCommand));
}

interface CostOptions extends Wanted {
  readonly json?: true;
  readonly context?: true;
}

export async function costCommand(options: CostOptions, shell: Shell): Promise<void> {
  const view = await readRun(options, shell);
  const contexts = options.context === true ? contextsOf(view) : null;
  if (options.json === true) {
    const more = contexts === null ? {} : { contexts: contextsJson(contexts) };
    printJson(shell.out, { ...costJson(view), ...more });
    return;
  }
  const full = contexts === null ? [] : formatContexts(contexts);
  for (const line of [...formatCost(view), ...full]) shell.out.line(line);
}

/** Tables with the same columns, each with its total. */
export function formatCost(view: Pick<RunView, "run" | "status" | "history">): readonly string[] {
  const { run, status } = view;
  const origin = originSentence(run);
  const { budgetMicroUsd } = run.settings;
  const budget = budgetMicroUsd === null ? "no budget" : `a budget of ${formatUsd(budgetMicroUsd)}`;
  const head = `${run.id} (${status}): ${formatUsd(spent(run))} of ${budget}, ${counted(run.steps, "step")}`;
  const rows = costsOf(view).flatMap(({ noun, rows: of }) => [
    [],
    [noun, ...COST_HEADINGS],
    ...of.map(({ name, sums }) => [printable(name), ...costCells(sums)]),
    ["total", ...costCells(run.totals)],
  ]);
  return [
    printable(head),
    ...(origin === null ? [] : [printable(origin)]),
    ...(isSimulated(run.backend) ? ["This run is simulated: its costs are made up."] : []),
    ...formatTable(rows, ALIGNMENTS),
  ];
}

/** Columns of {@link costCells}. */
export const COST_HEADINGS = [
  "attempts",
  "in",
  "out",
  "cache read",
  "cache write",
  "cached",
  "cost",
  "estimated",
  "time",
] as const;

const ALIGNMENTS: readonly Alignment[] = ["left", ...COST_HEADINGS.map(() => "right" as const)];

export function costCells(sums: Totals): readonly string[] {
  const { input, output, cacheRead, cacheWrite } = sums.tokens;
  const counts = [sums.attempts, input, output, cacheRead, cacheWrite];
  const share = cacheShare(sums);
  return [
    ...counts.map((count) => count.toLocaleString("en-US")),
    share === null ? "–" : `${String(Math.round(100 * share))} %`,
    formatUsd(sums.costMicroUsd),
    sums.estimatedMicroUsd === 0 ? "–" : formatUsd(sums.estimatedMicroUsd),
    formatDuration(sums.durationMs),
  ];
}

export function formatContexts(contexts: readonly ConversationContext[]): readonly string[] {
  if (contexts.length === 0) return ["", "No conversation has reported its size yet."];
  const rows = contexts.map(({ agent, session, context: { tokens, window } }) => [
    printable(session),
    printable(agent),
    tokens.toLocaleString("en-US"),
    window === null ? "–" : window.toLocaleString("en-US"),
    formatShare(tokens, window) ?? "–",
  ]);
  const head = ["conversation", "agent", "in context", "window", "full"];
  return formatTable([[], head, ...rows], ["left", "left", "right", "right", "right"]);
}

export function contextsJson(contexts: readonly ConversationContext[]): readonly object[] {
  return contexts.map(({ agent, session, context: { tokens, window } }) => ({
    agent,
    session_id: session,
    tokens,
    window,
  }));
}
