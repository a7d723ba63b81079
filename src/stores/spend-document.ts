import * as z from "zod/mini";
import { type SpendReport, unpaid, weigh } from "../core/machine/spend.ts";
import { as, list, orNull, record, type Shape, same, unless, via } from "./shape.ts";
import { count, flag, price, seconds, textOrNull, usd } from "./values.ts";

const tokens = record({
  input: as("input", count),
  output: as("output", count),
  cacheRead: as("cache_read", count),
  cacheWrite: as("cache_write", count),
});

const attempts = as("attempts", count);
const rest = {
  estimatedMicroUsd: as("estimated_usd", usd),
  tokens: as("tokens", tokens),
  durationMs: as("duration_s", seconds),
};

/** Sums of attempts: of an agent, of a state, of a model. */
export const sums = record({ attempts, costMicroUsd: as("cost_usd", usd), ...rest });

/** Those of the run, without their cost, which the file has apart. */
export const totals = record({ attempts, ...rest });

/** Micro-dollars, a fraction: `usd` would round it. */
const exactMicroUsd = same(() => z.number().check(z.minimum(0), z.maximum(1e24)));

const used = record({
  model: as("model", textOrNull),
  tokens: as("tokens", tokens),
  listMicroUsd: as("list_micro_usd", orNull(exactMicroUsd)),
  onList: unless("on_list", false, flag),
});

const told = record({
  version: as("client_version", textOrNull),
  model: as("model", textOrNull),
  tokens: as("tokens", tokens),
  listPrice: as("list_price", orNull(price)),
  /** Null in older files: all tokens are of `model`, at `list_price`. */
  uses: unless("models", null, list(used)),
});

type Told = ReturnType<typeof told.decode>;

/** What a step that runs has told: tokens by model, for dollars come only when it has ended. */
export const spend: Shape<SpendReport, ReturnType<typeof told.encode>> = via(
  told,
  ({ version, model, tokens, unreported }: SpendReport): Told => {
    return { version, model, tokens, listPrice: null, uses: unreported };
  },
  ({ version, model, tokens, listPrice, uses }: Told) => {
    const listMicroUsd = listPrice === null ? null : listPrice * weigh(tokens);
    const all = uses ?? [{ model, tokens, listMicroUsd, onList: false }];
    const unreported = all.map((use) => ({ ...use, costMicroUsd: null }));
    return unpaid({ version, model, unreported });
  },
);
