import type { JsonObject } from "../../core/json-object.ts";
import type { ModelUse } from "../../core/machine/spend.ts";
import { type MicroUsd, toMicroUsd } from "../../core/money.ts";
import { numberAt, objectAt } from "./json.ts";
import { listCost, modelName } from "./list-price.ts";
import { readCount } from "./usage.ts";

/** A `modelUsage` of the client by model, subagents and all; null where it has none, or an absurd one. */
export function readModelUsage(result: JsonObject, name: string): readonly ModelUse[] | null {
  if (typeof result[name] !== "object" || result[name] === null) return null;
  const models = objectAt(result, name);
  const uses = Object.keys(models).map((model) => readModel(model, objectAt(models, model)));
  return costOf(uses) > 1e6 * MOST_USD ? null : uses;
}

function readModel(model: string, used: JsonObject): ModelUse {
  const tokens = {
    input: readCount(used, "inputTokens", 0),
    output: readCount(used, "outputTokens", 0),
    cacheRead: readCount(used, "cacheReadInputTokens", 0),
    cacheWrite: readCount(used, "cacheCreationInputTokens", 0),
  };
  const usage = {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation_input_tokens: tokens.cacheWrite,
    server_tool_use: { web_search_requests: readCount(used, "webSearchRequests", 0) },
  };
  const usd = numberAt(used, "costUSD");
  const costMicroUsd = usd === null ? null : Math.max(0, usd) * 1e6;
  return { model: modelName(model), tokens, ...listCost(model, usage), costMicroUsd };
}

/** Micro-dollars, as the client adds them up. */
export function costOf(uses: readonly ModelUse[]): MicroUsd {
  return Math.round(uses.reduce((sum, use) => sum + (use.costMicroUsd ?? 0), 0));
}

/** What a model can hold, by the `modelUsage` of a result; null where it is not said. */
export function readWindow(result: JsonObject, model: string | null): number | null {
  if (model === null) return null;
  const window = readCount(objectAt(objectAt(result, "modelUsage"), model), "contextWindow", 0);
  return window > 0 ? window : null;
}

/** The most that one call can have cost, dollars. */
export const MOST_USD = 1e6;

/**
 * `total_cost_usd`, micro-dollars; null where it is none. What no call can have
 * cost is not believed: less than nothing would lower the sum that the budget
 * is held against, and a number without bounds could not be saved.
 */
export function readTotal(event: JsonObject, name = "total_cost_usd"): MicroUsd | null {
  const usd = numberAt(event, name);
  return usd === null || usd < 0 || usd > MOST_USD ? null : toMicroUsd(usd);
}
