import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { Tokens } from "../../../machine/spend/spend.ts";
import { numberAt } from "./json.ts";

/** Maximum plausible figure of one call. Totals must stay safe integers. */
const MAX_TOKENS = 1e12;

/** A `usage` of the API. Missing figures are those of `before`. */
export function readUsage(usage: JsonObject, before: Tokens): Tokens {
  return {
    input: readCount(usage, "input_tokens", before.input),
    output: readCount(usage, "output_tokens", before.output),
    cacheRead: readCount(usage, "cache_read_input_tokens", before.cacheRead),
    cacheWrite: readCount(usage, "cache_creation_input_tokens", before.cacheWrite),
  };
}

export function hasTokens({ input, output, cacheRead, cacheWrite }: Tokens): boolean {
  return input + output + cacheRead + cacheWrite > 0;
}

/** A number of tokens or requests; `fallback` if it is missing or implausible. */
export function readCount(from: JsonObject, name: string, fallback: number): number {
  const found = numberAt(from, name);
  const isPlausible = found !== null && found >= 0 && found <= MAX_TOKENS;
  return isPlausible ? Math.round(found) : fallback;
}
