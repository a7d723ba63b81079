import type { Tokens } from "../core/machine/spend.ts";
import type { SumsDocument } from "./schema.ts";

type TokensDocument = SumsDocument["tokens"];

/** Tokens as the state file says them. */
export function encodeTokens({ input, output, cacheRead, cacheWrite }: Tokens): TokensDocument {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}

/** Tokens as the state file has said them. */
export function decodeTokens({ input, output, ...cache }: TokensDocument): Tokens {
  return { input, output, cacheRead: cache.cache_read, cacheWrite: cache.cache_write };
}
