import { counted } from "../../core/counted.ts";
import { formatDuration } from "../../core/duration.ts";
import { type RunState, spent } from "../../core/machine/run-state.ts";
import type { Sums } from "../../core/machine/sums.ts";
import { formatUsd } from "../../core/money.ts";
import { printable } from "../../observers/printable.ts";
import { isSimulated } from "../../ports/backend.ts";
import { costsOf } from "../../runs/costs.ts";
import { contextsOf, inspect, sumsByAgent } from "../../runs/inspect.ts";
import { costJson } from "../../runs/json/cost-json.ts";
import type { Wanted } from "../../runs/wire/stores.ts";
import { contextsJson, formatContexts } from "../context-table.ts";
import { originSentence } from "../origin-words.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { type Alignment, formatTable } from "../table.ts";

interface CostOptions extends Wanted {
  readonly json?: true;
  readonly context?: true;
}

/** `raymond cost`: where the money of a run went. */
export async function costCommand(options: CostOptions, shell: Shell): Promise<void> {
  const inspection = await inspect(options, shell);
  const { run, status } = inspection;
  const agents = sumsByAgent(inspection);
  const contexts = options.context === true ? contextsOf(inspection) : null;
  if (options.json === true) {
    const told = contexts === null ? {} : { contexts: contextsJson(contexts) };
    printJson(shell.out, { ...costJson(inspection), ...told });
    return;
  }
  const full = contexts === null ? [] : formatContexts(contexts);
  for (const line of [...formatCost(run, status, agents), ...full]) shell.out.line(line);
}

type SumsByAgent = Readonly<Record<string, Sums>>;

/** The lines of `raymond cost`: three tables with the same columns, each with its total. */
export function formatCost(run: RunState, status: string, agents: SumsByAgent): readonly string[] {
  const origin = originSentence(run);
  const { budgetMicroUsd } = run.settings;
  const budget = budgetMicroUsd === null ? "no budget" : `a budget of ${formatUsd(budgetMicroUsd)}`;
  const head = `${run.id} (${status}): ${formatUsd(spent(run))} of ${budget}, ${counted(run.steps, "step")}`;
  const rows = costsOf(run, agents).flatMap(({ noun, rows: of }) => [
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

/** What {@link costCells} tells of sums. */
export const COST_HEADINGS = [
  "attempts",
  "in",
  "out",
  "cache read",
  "cache write",
  "cost",
  "estimated",
  "time",
] as const;

const ALIGNMENTS: readonly Alignment[] = ["left", ...COST_HEADINGS.map(() => "right" as const)];

/** Sums in words, as {@link COST_HEADINGS} names them. */
export function costCells(sums: Sums): readonly string[] {
  const { input, output, cacheRead, cacheWrite } = sums.tokens;
  const counts = [sums.attempts, input, output, cacheRead, cacheWrite];
  return [
    ...counts.map((count) => count.toLocaleString("en-US")),
    formatUsd(sums.costMicroUsd),
    sums.estimatedMicroUsd === 0 ? "–" : formatUsd(sums.estimatedMicroUsd),
    formatDuration(sums.durationMs),
  ];
}
