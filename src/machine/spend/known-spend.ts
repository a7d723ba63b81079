import type { MicroUsd } from "../../language/basics/money.ts";
import type { Running } from "../model/activity.ts";
import { inFlight } from "../model/roster.ts";
import { type RunState, spent } from "../model/run-state.ts";
import { knownCost } from "./ledger.ts";

/** The spend of ended steps and the reported spend of steps in flight (docs/budgets.md, "The budget of the run"). */
export function knownSpend(run: RunState): MicroUsd {
  return inFlight(run).reduce((sum, agent) => sum + reportedBy(run, agent.activity), spent(run));
}

/** 0 without a report or a price. */
function reportedBy(run: RunState, { spend }: Running): MicroUsd {
  return (spend && knownCost(spend, run.prices)) ?? 0;
}

/** Whether the spend of a step in flight is known. Before its first report: whether any price is known. */
export function isPriced(run: RunState, { kind, spend }: Running): boolean {
  if (kind === "script") return true;
  if (spend === null) return Object.keys(run.prices).length > 0;
  return knownCost(spend, run.prices) !== null;
}
