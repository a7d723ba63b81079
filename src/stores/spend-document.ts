import { unpaid } from "../core/machine/spend.ts";
import { as, orNull, record, via } from "./shape.ts";
import { count, price, seconds, textOrNull, usd } from "./values.ts";

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

/** What a step that runs has told: tokens, for dollars come only when it has ended. */
export const spend = via(
  record({
    version: as("client_version", textOrNull),
    model: as("model", textOrNull),
    tokens: as("tokens", tokens),
    listPrice: as("list_price", orNull(price)),
  }),
  (report) => report,
  unpaid,
);
