import type { MicroUsd } from "../../language/basics/money.ts";
import type { RunState } from "../model/run-state.ts";
import {
  type ModelUse,
  type SpendReport,
  subtractTokens,
  sumTokens,
  weightedTokens,
} from "../model/spend.ts";

/** Default price of an uncached input token, micro-dollars: $3 per million. */
const DEFAULT_PRICE = 3;

/** A reported cost is plausible within this factor of the list price of its tokens. */
const TRUSTED_FACTOR = 2;

/** Rounding error of a reported cost, micro-dollars. */
const ROUNDING = 5;

/** The cost of one attempt. */
export interface Charge {
  readonly costMicroUsd: MicroUsd;
  /** Estimated cost of tokens that no plausible figure includes. Summed separately. */
  readonly estimatedMicroUsd: MicroUsd;
  /** The client's next total of this conversation is compared with it. */
  readonly baselineMicroUsd: MicroUsd;
  /** The reported cost does not match its tokens, as this client's figures are defined. */
  readonly misread: boolean;
}

/**
 * The cost of an attempt (docs/budgets.md, "How money is counted"). A client reports the cost of the
 * attempt, or the total of its conversation: then the cost is the difference to the baseline. A killed
 * attempt never raises the baseline, because it is unknown what the next total will include.
 *
 * L1. A figure is compared with the list price of its tokens. If it does not match, it is interpreted
 *     as the other kind of figure, then replaced by an estimate. A total from a conversation must
 *     cover all of its answers.
 * L2. Tokens always have a cost or an estimate.
 * L3. If the step was started before, or the conversation is older than its baseline
 *     (`mayIncludeMore`), the difference may include an attempt whose end was not observed: then no
 *     difference is too high.
 */
export function charge(
  report: SpendReport,
  baselineMicroUsd: MicroUsd,
  prices: RunState["prices"],
  mayIncludeMore = false,
): Charge {
  const { costMicroUsd: own, conversationMicroUsd: total, settled } = report;
  const { reported, unreported, isRecalled } = report;
  const least = isRecalled === true ? 1 : TRUSTED_FACTOR;
  const figures = [
    { microUsd: own, least, most: TRUSTED_FACTOR },
    {
      microUsd: since(baselineMicroUsd, total),
      least,
      most: mayIncludeMore ? Infinity : TRUSTED_FACTOR,
    },
    { microUsd: total, least, most: TRUSTED_FACTOR },
  ].flatMap((figure) => (figure.microUsd === null ? [] : { ...figure, microUsd: figure.microUsd }));
  const plausible = figures.find((figure) => fits(figure, reported));
  const unpriced = plausible === undefined ? [...reported, ...unreported] : unreported;
  const [usual] = figures;
  return {
    costMicroUsd: plausible?.microUsd ?? 0,
    estimatedMicroUsd: estimate(unpriced, prices) ?? 0,
    baselineMicroUsd: total !== null && settled ? total : baselineMicroUsd,
    misread: isRecalled !== true && usual !== undefined && !fits(usual, reported),
  };
}

function since(baseline: MicroUsd, total: MicroUsd | null): MicroUsd | null {
  if (total === null) return null;
  return total >= baseline ? total - baseline : total;
}

/** A possible interpretation of a reported figure. */
interface Figure {
  readonly microUsd: MicroUsd;
  /** Plausible from the list price of its tokens divided by this, to the list price times `most`. */
  readonly least: number;
  readonly most: number;
}

/** L1. Without a list price, any figure is plausible. */
function fits({ microUsd: figure, least, most }: Figure, uses: readonly ModelUse[]): boolean {
  if (weightedTokens(sumTokens(uses)) === 0) return true;
  // L2.
  if (figure === 0) return false;
  const listed = uses.reduce((sum, use) => sum + (use.listMicroUsd ?? 0), 0);
  if (Math.abs(figure - listed) <= ROUNDING) return true;
  if (uses.some(({ onList }) => !onList)) return true;
  const isEnough = least === 1 ? figure >= listed : figure * least > listed;
  return isEnough && figure < listed * most;
}

/** The estimated cost of tokens, rounded up. `fallback`: the price of an unknown model. */
function estimate(
  uses: readonly ModelUse[],
  prices: RunState["prices"],
  fallback: number | null = DEFAULT_PRICE,
): MicroUsd | null {
  let sum = 0;
  for (const use of uses) {
    const price = priceOf(use, prices) ?? fallback;
    if (price === null) return null;
    sum += Math.max(weightedTokens(use.tokens) * price, use.listMicroUsd ?? 0);
  }
  // Sums of fractions are inexact: an error of 1e-12 must not round a whole number up.
  return Math.ceil(Math.max(0, sum - 1e-6));
}

/** The cost of the reported tokens of an attempt in flight; null if a model has no known price. */
export function knownCost(
  { unreported }: SpendReport,
  prices: RunState["prices"],
): MicroUsd | null {
  return estimate(unreported, prices, null);
}

/** Price of an uncached input token, micro-dollars: the last one of this run, at least the list price; null: unknown. */
function priceOf(use: ModelUse, prices: RunState["prices"]): number | null {
  const learned = use.model === null ? undefined : prices[use.model];
  const weight = weightedTokens(use.tokens);
  const list = use.listMicroUsd === null || weight === 0 ? null : use.listMicroUsd / weight;
  if (learned === undefined) return use.listMicroUsd === null ? null : (list ?? 0);
  return Math.max(learned, list ?? 0);
}

/** Updates the prices of a run from the cost of an attempt. */
export function updatePrices(
  prices: RunState["prices"],
  { model: main, tokens: all, reported, unreported }: SpendReport,
  { costMicroUsd }: Charge,
): RunState["prices"] {
  if (costMicroUsd <= 0) return prices;
  const whole = {
    model: main,
    tokens: subtractTokens(all, sumTokens(unreported)),
    costMicroUsd: null,
  };
  const uses = reported.length === 0 ? [whole] : reported;
  let known = prices;
  for (const { model, tokens, costMicroUsd: own } of uses) {
    const cost = own ?? (uses.length === 1 ? costMicroUsd : 0);
    const weight = weightedTokens(tokens);
    if (model === null || cost <= 0 || weight <= 0) continue;
    const price = cost / weight;
    if (known[model] !== price) known = { ...known, [model]: price };
  }
  return known;
}
