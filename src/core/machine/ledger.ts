import type { MicroUsd } from "../money.ts";
import type { Baseline, Sums } from "./run-state.ts";
import { NO_TOKENS, type SpendReport, type Tokens } from "./spend.ts";

/** From this version on `total_cost_usd` is cumulative over the conversation (contract, head). */
const CUMULATIVE_SINCE = [2, 1, 277] as const;

/** Micro-dollars of an uncached input token where nothing better is known: $3 per million. */
const DEFAULT_PRICE = 3;

/** What one attempt has cost, and what its session's baseline is from now on. */
export interface Charge {
  readonly costMicroUsd: MicroUsd;
  /** Where the attempt ended without a report: what it may have cost. Kept apart in the sums. */
  readonly estimatedMicroUsd: MicroUsd;
  readonly baseline: Baseline;
}

export const NO_BASELINE: Baseline = { totalMicroUsd: 0, price: null };

/**
 * The cost of an attempt by contract point 5. A client whose totals are
 * cumulative costs the difference to the session's baseline, or the total
 * itself where that is lower; an older client's total is the cost, and neither
 * uses nor touches the baseline. Without a total the tokens are priced by what
 * the session has cost so far, and rounded up.
 */
export function charge(report: SpendReport, baseline: Baseline): Charge {
  const { totalMicroUsd: total, tokens } = report;
  if (total === null) {
    const weight = weigh(tokens);
    const estimate = Math.ceil(weight * (baseline.price ?? DEFAULT_PRICE));
    return { costMicroUsd: 0, estimatedMicroUsd: estimate, baseline };
  }
  const cumulative = isCumulative(report.clientVersion);
  const cost =
    cumulative && total >= baseline.totalMicroUsd ? total - baseline.totalMicroUsd : total;
  const weight = weigh(tokens);
  return {
    costMicroUsd: cost,
    estimatedMicroUsd: 0,
    baseline: {
      totalMicroUsd: cumulative ? total : baseline.totalMicroUsd,
      price: cost > 0 && weight > 0 ? cost / weight : baseline.price,
    },
  };
}

/** An unknown version counts as per invocation: that can only count too much, never too little. */
export function isCumulative(version: string | null): boolean {
  const parts = (version ?? "0").split(".").map((part) => Number.parseInt(part, 10) || 0);
  for (const [index, least] of CUMULATIVE_SINCE.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** Tokens as a number of uncached input tokens: the ratios are the same for all models today. */
function weigh({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + 5 * output + 1.25 * cacheWrite + 0.1 * cacheRead;
}

export const NO_SUMS: Sums = {
  attempts: 0,
  costMicroUsd: 0,
  estimatedMicroUsd: 0,
  tokens: NO_TOKENS,
  durationMs: 0,
};

/** Sums with one more attempt in them. */
export function addAttempt(sums: Sums, charged: Charge, report: SpendReport, ms: number): Sums {
  return {
    attempts: sums.attempts + 1,
    costMicroUsd: sums.costMicroUsd + charged.costMicroUsd,
    estimatedMicroUsd: sums.estimatedMicroUsd + charged.estimatedMicroUsd,
    tokens: addTokens(sums.tokens, report.tokens),
    durationMs: sums.durationMs + ms,
  };
}

function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
