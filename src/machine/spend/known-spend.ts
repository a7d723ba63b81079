import type { MicroUsd } from "../../language/basics/money.ts";
import type { Running } from "../activity.ts";
import { inFlight } from "../move/roster.ts";
import { type RunState, spent } from "../run-state.ts";
import { knownCost } from "./ledger.ts";

/**
 * What a run is known to have spent: all that was counted, and what the steps
 * in flight have told of themselves (docs/budgets.md, "The budget of the run").
 */
export function knownSpend(run: RunState): MicroUsd {
  return inFlight(run).reduce((sum, agent) => sum + toldBy(run, agent.activity), spent(run));
}

/** Of a step in flight: 0 where it has told nothing yet, or where nobody knows the price. */
function toldBy(run: RunState, { spend }: Running): MicroUsd {
  return (spend && knownCost(spend, run.prices)) ?? 0;
}

/**
 * Whether it can be seen what a step in flight spends. One that has told
 * nothing yet is taken for one like those before it, whose prices are known.
 */
export function isPriced(run: RunState, { kind, spend }: Running): boolean {
  if (kind === "script") return true;
  if (spend === null) return Object.keys(run.prices).length > 0;
  return knownCost(spend, run.prices) !== null;
}
