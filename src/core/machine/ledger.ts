import type { MicroUsd } from "../money.ts";
import type { RunState } from "./run-state.ts";
import { type SpendReport, weigh } from "./spend.ts";

/** Micro-dollars of an uncached input token where nothing better is known: $3 per million. */
const DEFAULT_PRICE = 3;

/** What one attempt has cost. */
export interface Charge {
  readonly costMicroUsd: MicroUsd;
  /** What an answer that was broken off may have cost. Kept apart in the sums. */
  readonly estimatedMicroUsd: MicroUsd;
  /** What the client's next total of this conversation is compared with. */
  readonly baselineMicroUsd: MicroUsd;
}

/**
 * The cost of an attempt (docs/budgets.md, "How money is counted"). A client
 * says what the attempt alone has cost, or what its conversation has cost until
 * now: then the cost is the difference to the baseline, or the total itself
 * where that is lower. An attempt that was ended never raises the baseline: it
 * is not known what the next total will hold of it, and what was reported must
 * not be forgotten. What no figure holds is priced by its tokens, rounded up.
 */
export function charge(
  report: SpendReport,
  baselineMicroUsd: MicroUsd,
  prices: RunState["prices"],
): Charge {
  const { conversationMicroUsd: total, settled, unreported } = report;
  const price = priceOf(report, prices) ?? DEFAULT_PRICE;
  return {
    costMicroUsd: report.costMicroUsd ?? since(baselineMicroUsd, total),
    estimatedMicroUsd: Math.ceil(weigh(unreported) * price),
    baselineMicroUsd: total !== null && settled ? total : baselineMicroUsd,
  };
}

function since(baseline: MicroUsd, total: MicroUsd | null): MicroUsd {
  if (total === null) return 0;
  return total >= baseline ? total - baseline : total;
}

/** Micro-dollars of one uncached input token: what this run was charged last for the model, else its list price. */
export function priceOf(
  { model, listPrice }: Pick<SpendReport, "model" | "listPrice">,
  prices: RunState["prices"],
): number | null {
  return (model === null ? undefined : prices[model]) ?? listPrice;
}

/** The prices that a run knows, with what this attempt has shown. */
export function learnPrice(
  prices: RunState["prices"],
  { model, tokens, unreported }: SpendReport,
  { costMicroUsd }: Charge,
): RunState["prices"] {
  const weight = weigh(tokens) - weigh(unreported);
  if (model === null || costMicroUsd <= 0 || weight <= 0) return prices;
  const price = costMicroUsd / weight;
  return prices[model] === price ? prices : { ...prices, [model]: price };
}
