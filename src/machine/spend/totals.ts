import type { MicroUsd } from "../../language/basics/money.ts";
import { addTokens, NO_TOKENS, type SpendReport, type Tokens } from "./spend.ts";

/** Sums of attempts: of one agent, of one state, of one model, of the run. */
export interface Totals {
  readonly attempts: number;
  readonly costMicroUsd: MicroUsd;
  /** Estimates of killed attempts, and of talk by hand; not part of `costMicroUsd`. */
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

/** What counts toward the budget: what was reported, and estimates of what was killed. */
export function totalCost({ costMicroUsd, estimatedMicroUsd }: Totals): MicroUsd {
  return costMicroUsd + estimatedMicroUsd;
}

/** Sums with one more attempt in them. */
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
