import type { JsonObject } from "../../core/json-object.ts";
import type { Tokens } from "../../core/machine/spend.ts";
import { numberAt } from "./json.ts";

/** The most that one call can have used; a larger figure is not believed, for sums must stay whole numbers. */
const MOST_TOKENS = 1e12;

/** A `usage` of the API; what it does not say is as `before`. */
export function readUsage(usage: JsonObject, before: Tokens): Tokens {
  return {
    input: readCount(usage, "input_tokens", before.input),
    output: readCount(usage, "output_tokens", before.output),
    cacheRead: readCount(usage, "cache_read_input_tokens", before.cacheRead),
    cacheWrite: readCount(usage, "cache_creation_input_tokens", before.cacheWrite),
  };
}

/** Whether any were counted. */
export function areAny({ input, output, cacheRead, cacheWrite }: Tokens): boolean {
  return input + output + cacheRead + cacheWrite > 0;
}

/** A number of tokens or requests; what no call can have used is not believed. */
export function readCount(from: JsonObject, name: string, fallback: number): number {
  const found = numberAt(from, name);
  const believed = found !== null && found >= 0 && found <= MOST_TOKENS;
  return believed ? Math.round(found) : fallback;
}
