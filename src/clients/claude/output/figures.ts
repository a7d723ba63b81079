import { compareVersion } from "../../../language/basics/compare-version.ts";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import { type MicroUsd, toMicroUsd } from "../../../language/basics/money.ts";
import type { ModelUse } from "../../../machine/model/spend.ts";
import { numberAt, objectAt, readCount } from "../../common/json-fields.ts";
import { listCost, modelName } from "../list-price.ts";
import { VERSIONS } from "../versions.ts";

/** Usage by model including subagents, from `modelUsage`; null if it is missing or implausible. */
export function readModelUsage(result: JsonObject, name: string): readonly ModelUse[] | null {
  if (typeof result[name] !== "object" || result[name] === null) return null;
  const models = objectAt(result, name);
  const uses = Object.keys(models).map((model) => readModel(model, objectAt(models, model)));
  return costOf(uses) > 1e6 * MAX_USD ? null : uses;
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

/** Total in micro-dollars, rounded like the client. */
export function costOf(uses: readonly ModelUse[]): MicroUsd {
  return Math.round(uses.reduce((sum, use) => sum + (use.costMicroUsd ?? 0), 0));
}

/** Context size of a model, from `modelUsage`; null if unknown. */
export function readWindow(result: JsonObject, model: string | null): number | null {
  if (model === null) return null;
  const window = readCount(objectAt(objectAt(result, "modelUsage"), model), "contextWindow", 0);
  return window > 0 ? window : null;
}

/** Maximum plausible cost of one call, dollars. */
export const MAX_USD = 1e6;

/**
 * `total_cost_usd` in micro-dollars; null if it is missing or implausible. A negative cost would lower the total that is
 * compared with the budget, and a huge number could not be saved.
 */
export function readTotal(event: JsonObject, name = "total_cost_usd"): MicroUsd | null {
  const usd = numberAt(event, name);
  return usd === null || usd < 0 || usd > MAX_USD ? null : toMicroUsd(usd);
}

/** An unknown version counts as per call, which can only overestimate the cost. */
export function isCumulative(version: string | null): boolean {
  return compareVersion(version ?? "0", VERSIONS.cumulativeCost) >= 0;
}
