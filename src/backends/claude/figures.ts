import type { JsonObject } from "../../core/json-object.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../../core/machine/spend.ts";
import { type MicroUsd, toMicroUsd } from "../../core/money.ts";
import { numberAt, objectAt } from "./json.ts";

/** The most that one call can have used; a larger figure is not believed, for sums must stay whole numbers. */
const MOST_TOKENS = 1e12;

/** A `usage` of the API; what it does not say is as `before`. */
export function readUsage(usage: JsonObject, before: Tokens): Tokens {
  return {
    input: count(usage, "input_tokens", before.input),
    output: count(usage, "output_tokens", before.output),
    cacheRead: count(usage, "cache_read_input_tokens", before.cacheRead),
    cacheWrite: count(usage, "cache_creation_input_tokens", before.cacheWrite),
  };
}

/** What the models in a `modelUsage` have used and cost together, subagents and all. */
export interface ModelUsage {
  readonly tokens: Tokens;
  /** Dollars, as the client adds them up. */
  readonly usd: number;
}

/** A `modelUsage` of the client; null where it has none. */
export function readModelUsage(result: JsonObject, name: string): ModelUsage | null {
  if (typeof result[name] !== "object" || result[name] === null) return null;
  const models = objectAt(result, name);
  let sum: ModelUsage = { tokens: NO_TOKENS, usd: 0 };
  for (const model of Object.keys(models)) {
    const used = objectAt(models, model);
    const usd = Math.max(0, numberAt(used, "costUSD") ?? 0);
    const tokens = {
      input: count(used, "inputTokens", 0),
      output: count(used, "outputTokens", 0),
      cacheRead: count(used, "cacheReadInputTokens", 0),
      cacheWrite: count(used, "cacheCreationInputTokens", 0),
    };
    sum = { tokens: addTokens(sum.tokens, tokens), usd: sum.usd + usd };
  }
  return sum;
}

/** What a model can hold, by the `modelUsage` of a result; null where it is not said. */
export function readWindow(result: JsonObject, model: string | null): number | null {
  if (model === null) return null;
  const window = count(objectAt(objectAt(result, "modelUsage"), model), "contextWindow", 0);
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

/** Whether any were counted. */
export function areAny({ input, output, cacheRead, cacheWrite }: Tokens): boolean {
  return input + output + cacheRead + cacheWrite > 0;
}

function count(from: JsonObject, name: string, fallback: number): number {
  const found = numberAt(from, name);
  const believed = found !== null && found >= 0 && found <= MOST_TOKENS;
  return believed ? Math.round(found) : fallback;
}
