import * as z from "zod/mini";
import { type SpendReport, unpricedSpend } from "../../machine/model/spend.ts";
import { as, list, orNull, record, type Shape, same, unless, via } from "./shape.ts";
import { count, flag, seconds, textOrNull, usd } from "./values.ts";

const tokens = record({
  input: count,
  output: count,
  cacheRead: as("cache_read", count),
  cacheWrite: as("cache_write", count),
});

const rest = {
  estimatedMicroUsd: as("estimated_usd", usd),
  tokens,
  durationMs: as("duration_s", seconds),
};

/** Totals of attempts: by agent, state or model. */
export const sums = record({ attempts: count, costMicroUsd: as("cost_usd", usd), ...rest });

/** Totals of the run, without the cost, which is a field of its own. */
export const totals = record({ attempts: count, ...rest });

/** Fractions of micro-dollars, which `usd` would round. */
const exactMicroUsd = same(() => z.number().check(z.minimum(0), z.maximum(1e24)));

const used = record({
  model: textOrNull,
  tokens,
  listMicroUsd: as("list_micro_usd", orNull(exactMicroUsd)),
  onList: unless("on_list", false, flag),
});

const reported = record({
  version: as("client_version", textOrNull),
  model: textOrNull,
  unreported: as("models", list(used)),
});

type Reported = ReturnType<typeof reported.decode>;

/** Usage of a step in progress: tokens by model. The client reports dollars only when it ends. */
export const spend: Shape<SpendReport, ReturnType<typeof reported.encode>> = via(
  reported,
  ({ version, model, unreported }: SpendReport): Reported => ({ version, model, unreported }),
  ({ version, model, unreported }: Reported) =>
    unpricedSpend({
      version,
      model,
      unreported: unreported.map((use) => ({ ...use, costMicroUsd: null })),
    }),
);
