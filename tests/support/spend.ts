import {
  type ModelUse,
  type SpendReport,
  type Tokens,
  unpricedSpend,
  weightedTokens,
} from "../../src/machine/model/spend.ts";

/** Tokens of one model. `price`: micro-dollars per uncached input token. */
export function used(model: string | null, tokens: Tokens, listPrice: number | null): ModelUse {
  const listMicroUsd = listPrice === null ? null : listPrice * weightedTokens(tokens);
  return { model, tokens, listMicroUsd, onList: listPrice !== null, costMicroUsd: null };
}

/** Usage that a running client has reported: tokens of one model. */
export function partialSpend(of: {
  readonly version?: string | null;
  readonly model: string | null;
  readonly tokens: Tokens;
  readonly listPrice?: number | null;
}): SpendReport {
  const { version = null, model, tokens, listPrice = null } = of;
  return unpricedSpend({ version, model, unreported: [used(model, tokens, listPrice)] });
}
