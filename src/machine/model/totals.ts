import type { MicroUsd } from "../../language/basics/money.ts";
import { addTokens, NO_TOKENS, type SpendReport, type Tokens } from "./spend.ts";

/** Totals of the attempts of an agent, a state, a model or the run. */
export interface Totals {
  readonly attempts: number;
  readonly costMicroUsd: MicroUsd;
  /** Estimates of killed attempts and of manual sessions; not part of `costMicroUsd`. */
  readonly estimatedMicroUsd: MicroUsd;
  readonly tokens: Tokens;
  readonly durationMs: number;
}

export const NO_TOTALS: Totals = {
  attempts: 0,
  costMicroUsd: 0,
  estimatedMicroUsd: 0,
  tokens: NO_TOKENS,
  durationMs: 0,
};

/** Reported and estimated costs: both count toward the budget. */
export function totalCost({ costMicroUsd, estimatedMicroUsd }: Totals): MicroUsd {
  return costMicroUsd + estimatedMicroUsd;
}

export function addAttempt(
  sums: Totals,
  charged: Pick<Totals, "costMicroUsd" | "estimatedMicroUsd">,
  { tokens }: Pick<SpendReport, "tokens">,
  ms: number,
): Totals {
  return {
    attempts: sums.attempts + 1,
    costMicroUsd: sums.costMicroUsd + charged.costMicroUsd,
    estimatedMicroUsd: sums.estimatedMicroUsd + charged.estimatedMicroUsd,
    tokens: addTokens(sums.tokens, tokens),
    durationMs: sums.durationMs + ms,
  };
}
