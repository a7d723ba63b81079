import { formatDuration } from "../../core/duration.ts";
import { type RunState, spent } from "../../core/machine/run-state.ts";
import { paid, type Sums } from "../../core/machine/sums.ts";
import { formatUsd } from "../../core/money.ts";
import { printable } from "../../observers/printable.ts";
import { isSimulated } from "../../ports/backend.ts";
import { contextsOf, inspect, sumsByAgent } from "../../runs/inspect.ts";
import { costJson } from "../../runs/json/cost-json.ts";
import type { Wanted } from "../../runs/wire/stores.ts";
import { contextsJson, formatContexts } from "../context-table.ts";
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
  const { budgetMicroUsd } = run.settings;
  const budget = budgetMicroUsd === null ? "no budget" : `a budget of ${formatUsd(budgetMicroUsd)}`;
  const head = `${run.id} (${status}): ${formatUsd(spent(run))} of ${budget}, ${String(run.steps)} steps`;
  const rows = [
    ...tableOf("agent", agents, run.totals),
    ...tableOf("state", run.sums.states, run.totals),
    ...tableOf("model", run.sums.models, run.totals),
  ];
  return [
    printable(head),
    ...(isSimulated(run.backend) ? ["This run is simulated: its costs are made up."] : []),
    ...formatTable(rows, ALIGNMENTS),
  ];
}

const HEADINGS = [
  "attempts",
  "in",
  "out",
  "cache read",
  "cache write",
  "cost",
  "estimated",
  "time",
] as const;

const ALIGNMENTS: readonly Alignment[] = ["left", ...HEADINGS.map(() => "right" as const)];

/** The dearest first; what nobody has a name for any more (or never had) is one row. */
function tableOf(
  noun: string,
  named: Readonly<Record<string, Sums>>,
  total: Sums,
): readonly (readonly string[])[] {
  const entries = Object.entries(named).toSorted(
    ([a, x], [b, y]) => paid(y) - paid(x) || (a < b ? -1 : 1),
  );
  const others = Object.values(named).reduce(subtract, total);
  return [
    [],
    [noun, ...HEADINGS],
    ...entries.map(([name, sums]) => row(printable(name), sums)),
    ...(others.attempts > 0 ? [row(noun === "model" ? "(scripts)" : "(others)", others)] : []),
    row("total", total),
  ];
}

function subtract(left: Sums, part: Sums): Sums {
  return {
    attempts: left.attempts - part.attempts,
    costMicroUsd: left.costMicroUsd - part.costMicroUsd,
    estimatedMicroUsd: left.estimatedMicroUsd - part.estimatedMicroUsd,
    tokens: {
      input: left.tokens.input - part.tokens.input,
      output: left.tokens.output - part.tokens.output,
      cacheRead: left.tokens.cacheRead - part.tokens.cacheRead,
      cacheWrite: left.tokens.cacheWrite - part.tokens.cacheWrite,
    },
    durationMs: left.durationMs - part.durationMs,
  };
}

function row(name: string, sums: Sums): readonly string[] {
  const { input, output, cacheRead, cacheWrite } = sums.tokens;
  const counts = [sums.attempts, input, output, cacheRead, cacheWrite];
  return [
    name,
    ...counts.map((count) => count.toLocaleString("en-US")),
    formatUsd(sums.costMicroUsd),
    sums.estimatedMicroUsd === 0 ? "–" : formatUsd(sums.estimatedMicroUsd),
    formatDuration(sums.durationMs),
  ];
}
