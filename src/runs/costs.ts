import type { AgentId } from "../core/machine/agent.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { paid, type Sums } from "../core/machine/sums.ts";

/** Where the money of a run went, by one of its nouns. */
export interface CostTable {
  readonly noun: "agent" | "state" | "model";
  /** The dearest first. What no name is known of any more (or never was) is the last one. */
  readonly rows: readonly CostRow[];
}

export interface CostRow {
  readonly name: string;
  readonly sums: Sums;
}

/** The same sums three times: by agent, by state, by model. `agents` is what `sumsByAgent` gives. */
export function costsOf(
  { sums, totals }: Pick<RunState, "sums" | "totals">,
  agents: Readonly<Record<AgentId, Sums>>,
): readonly CostTable[] {
  return [
    { noun: "agent", rows: rowsOf(agents, totals, "(others)") },
    { noun: "state", rows: rowsOf(sums.states, totals, "(others)") },
    { noun: "model", rows: rowsOf(sums.models, totals, "(scripts)") },
  ];
}

function rowsOf(
  named: Readonly<Record<string, Sums>>,
  total: Sums,
  rest: string,
): readonly CostRow[] {
  const rows = Object.entries(named).map(([name, sums]) => ({ name, sums }));
  const others = rows.reduce((left, { sums }) => subtract(left, sums), total);
  return [
    ...rows.toSorted((a, b) => paid(b.sums) - paid(a.sums) || (a.name < b.name ? -1 : 1)),
    ...(others.attempts > 0 ? [{ name: rest, sums: others }] : []),
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
