import type { MicroUsd } from "../../language/basics/money.ts";
import type { RunState } from "../run-state.ts";
import {
  type ModelUse,
  type SpendReport,
  subtractTokens,
  sumTokens,
  weightedTokens,
} from "./spend.ts";

/** Micro-dollars of an uncached input token where nothing better is known: $3 per million. */
const DEFAULT_PRICE = 3;

/** A reported cost is believed within this factor of the list price of its tokens. */
const TRUSTED_FACTOR = 2;

/** Micro-dollars by which rounding can change a reported cost. */
const ROUNDING = 5;

/** What one attempt has cost. */
export interface Charge {
  readonly costMicroUsd: MicroUsd;
  /** What tokens may have cost that no believed figure includes. Kept apart in the sums. */
  readonly estimatedMicroUsd: MicroUsd;
  /** What the client's next total of this conversation is compared with. */
  readonly baselineMicroUsd: MicroUsd;
  /** The reported cost does not fit its tokens under the known meaning of this client's figures. */
  readonly misread: boolean;
}

/**
 * The cost of an attempt (docs/budgets.md, "How money is counted"). A client
 * reports the cost of the attempt alone, or the total of its conversation: then
 * the cost is the difference to the baseline. An attempt that was ended never
 * raises the baseline: it is not known what the next total will include, and
 * what was reported must not be lost.
 *
 * L1. A figure is checked against the list price of its tokens. One that does
 *     not fit is tried under the other meaning, then replaced by an estimate.
 *     A total that was found in a conversation must cover all of its answers.
 * L2. Tokens always have a cost or an estimate.
 * L3. Where the step was started before, or the conversation is older than its
 *     baseline (`mayIncludeMore`), the difference may include an attempt whose
 *     end raymond did not see: then no difference is too high.
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
  const believed = figures.find((figure) => fits(figure, reported));
  const unpriced = believed === undefined ? [...reported, ...unreported] : unreported;
  const [usual] = figures;
  return {
    costMicroUsd: believed?.microUsd ?? 0,
    estimatedMicroUsd: estimate(unpriced, prices) ?? 0,
    baselineMicroUsd: total !== null && settled ? total : baselineMicroUsd,
    misread: isRecalled !== true && usual !== undefined && !fits(usual, reported),
  };
}

function since(baseline: MicroUsd, total: MicroUsd | null): MicroUsd | null {
  if (total === null) return null;
  return total >= baseline ? total - baseline : total;
}

/** What a client may have meant. */
interface Figure {
  readonly microUsd: MicroUsd;
  /** It is at least the list price of its tokens divided by this, and less than the list price times `most`. */
  readonly least: number;
  readonly most: number;
}

/** L1. Where a model is on no list, any figure is believed. */
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

/** What tokens may have cost, micro-dollars, rounded up. `fallback`: the price of a model that has none. */
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
  // Sums of fractions are not exact: what is whole must not be rounded up by an error of 1e-12.
  return Math.ceil(Math.max(0, sum - 1e-6));
}

/** What an attempt in flight is known to have spent; null where a model has no known price. */
export function knownCost(
  { unreported }: SpendReport,
  prices: RunState["prices"],
): MicroUsd | null {
  return estimate(unreported, prices, null);
}

/** Micro-dollars of one uncached input token: what this run was charged last, never below the list price; null where neither is known. */
function priceOf(use: ModelUse, prices: RunState["prices"]): number | null {
  const learned = use.model === null ? undefined : prices[use.model];
  const weight = weightedTokens(use.tokens);
  const list = use.listMicroUsd === null || weight === 0 ? null : use.listMicroUsd / weight;
  if (learned === undefined) return use.listMicroUsd === null ? null : (list ?? 0);
  return Math.max(learned, list ?? 0);
}

/** The prices that a run knows, with what this attempt has shown of each of its models. */
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
