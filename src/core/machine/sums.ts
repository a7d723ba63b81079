import type { MicroUsd } from "../money.ts";
import { addTokens, NO_TOKENS, type SpendReport, type Tokens } from "./spend.ts";

/** Sums of attempts: of one agent, of one state, of one model, of the run. */
export interface Sums {
  readonly attempts: number;
  readonly costMicroUsd: MicroUsd;
  /** Estimates of killed attempts, and of talk by hand; not part of `costMicroUsd`. */
  readonly estimatedMicroUsd: MicroUsd;
  readonly tokens: Tokens;
  readonly durationMs: number;
}

export const NO_SUMS: Sums = {
  attempts: 0,
  costMicroUsd: 0,
  estimatedMicroUsd: 0,
  tokens: NO_TOKENS,
  durationMs: 0,
};

/** What counts toward the budget: what was reported, and estimates of what was killed. */
export function paid({ costMicroUsd, estimatedMicroUsd }: Sums): MicroUsd {
  return costMicroUsd + estimatedMicroUsd;
}

/** Sums with one more attempt in them. */
export function addAttempt(
  sums: Sums,
  charged: Pick<Sums, "costMicroUsd" | "estimatedMicroUsd">,
  { tokens }: Pick<SpendReport, "tokens">,
  ms: number,
): Sums {
  return {
    attempts: sums.attempts + 1,
    costMicroUsd: sums.costMicroUsd + charged.costMicroUsd,
    estimatedMicroUsd: sums.estimatedMicroUsd + charged.estimatedMicroUsd,
    tokens: addTokens(sums.tokens, tokens),
    durationMs: sums.durationMs + ms,
  };
}
