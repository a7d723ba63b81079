/**
 * List prices of one million uncached input tokens, dollars, as 2.1.330 charges
 * them (2026-11); the first that fits counts. Output, and what is read from and
 * written to the cache, cost the same multiples for all.
 */
const USD_PER_MILLION: readonly (readonly [model: RegExp, usd: number])[] = [
  [/opus-5-5/, 4],
  [/opus/, 5],
  [/sonnet-5/, 2],
  [/sonnet/, 3],
  [/haiku-5-5/, 0.1],
  [/3-5-haiku/, 0.8],
  [/haiku/, 1],
  [/fable-5-2/, 8],
  [/fable/, 10],
];

/** List price of one uncached input token of a model, micro-dollars; null where it is not known. */
export function listPrice(model: string | null): number | null {
  if (model === null) return null;
  return USD_PER_MILLION.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}
