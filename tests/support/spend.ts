import {
  type ModelUse,
  type SpendReport,
  type Tokens,
  unpaid,
  weigh,
} from "../../src/core/machine/spend.ts";

/** Tokens of one model at this list price, micro-dollars an uncached input token. */
export function used(model: string | null, tokens: Tokens, listPrice: number | null): ModelUse {
  const listMicroUsd = listPrice === null ? null : listPrice * weigh(tokens);
  return { model, tokens, listMicroUsd, onList: listPrice !== null, costMicroUsd: null };
}

/** What a client has told that has not ended: tokens of one model. */
export function partialSpend(of: {
  readonly version?: string | null;
  readonly model: string | null;
  readonly tokens: Tokens;
  readonly listPrice?: number | null;
}): SpendReport {
  const { version = null, model, tokens, listPrice = null } = of;
  return unpaid({ version, model, unreported: [used(model, tokens, listPrice)] });
}
