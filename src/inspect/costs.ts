import type { AgentId } from "../machine/agent.ts";
import type { RunState } from "../machine/run-state.ts";
import { type Totals, totalCost } from "../machine/spend/totals.ts";

/** Where the money of a run went, by one of its nouns. */
export interface CostTable {
  readonly noun: "agent" | "state" | "model";
  /** The dearest first. What no name is known of any more (or never was) is the last one. */
  readonly rows: readonly CostRow[];
}

export interface CostRow {
  readonly name: string;
  readonly sums: Totals;
}

/** The same sums three times: by agent, by state, by model. `agents` is what `sumsByAgent` gives. */
export function costsOf(
  { sums, totals }: Pick<RunState, "sums" | "totals">,
  agents: Readonly<Record<AgentId, Totals>>,
): readonly CostTable[] {
  return [
    { noun: "agent", rows: rowsOf(agents, totals, "(others)") },
    { noun: "state", rows: rowsOf(sums.states, totals, "(others)") },
    { noun: "model", rows: rowsOf(sums.models, totals, "(scripts)") },
  ];
}

function rowsOf(
  named: Readonly<Record<string, Totals>>,
  total: Totals,
  rest: string,
): readonly CostRow[] {
  const rows = Object.entries(named).map(([name, sums]) => ({ name, sums }));
  const others = rows.reduce((left, { sums }) => subtract(left, sums), total);
  return [
    ...rows.toSorted((a, b) => totalCost(b.sums) - totalCost(a.sums) || (a.name < b.name ? -1 : 1)),
    ...(others.attempts > 0 ? [{ name: rest, sums: others }] : []),
  ];
}

function subtract(left: Totals, part: Totals): Totals {
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
