import type { MicroUsd } from "../../language/basics/money.ts";
import type { ModelUse, Tokens } from "../../machine/model/spend.ts";

/** List price of a model: dollars of one million tokens, at the standard service tier (2026-11). */
interface Price {
  readonly input: number;
  /** Input that the provider reads from its cache. */
  readonly cached: number;
  /** Input that the provider writes to its cache; absent: as other input. */
  readonly write?: number;
  readonly output: number;
  /** Whether prompts above {@link LONG} tokens cost more. */
  readonly long: boolean;
}

/** By model name without the date. */
const LIST: Readonly<Record<string, Price>> = {
  "gpt-6-astra": { input: 10, cached: 1, write: 12.5, output: 50, long: true },
  "gpt-6.1-sol": { input: 2, cached: 0.1, write: 2.5, output: 10, long: true },
  "gpt-6.1-terra": { input: 1, cached: 0.05, write: 1.25, output: 5, long: true },
  "gpt-6-sol": { input: 2, cached: 0.2, write: 2.5, output: 10, long: true },
  "gpt-6-luna": { input: 0.1, cached: 0.01, write: 0.125, output: 0.5, long: true },
  "gpt-5.6": { input: 4, cached: 0.4, write: 5, output: 20, long: true },
  "gpt-5.6-sol": { input: 4, cached: 0.4, write: 5, output: 20, long: true },
  "gpt-5.6-terra": { input: 2, cached: 0.2, write: 2.5, output: 12, long: true },
  "gpt-5.6-luna": { input: 0.2, cached: 0.02, write: 0.25, output: 1.2, long: true },
  "gpt-5.5": { input: 5, cached: 0.5, output: 30, long: true },
  "gpt-5.5-pro": { input: 30, cached: 30, output: 180, long: true },
  "gpt-5.4": { input: 2.5, cached: 0.25, output: 15, long: true },
  "gpt-5.4-mini": { input: 0.75, cached: 0.075, output: 4.5, long: false },
  "gpt-5.4-nano": { input: 0.2, cached: 0.02, output: 1.25, long: false },
};

/** A request with more input tokens costs {@link LONG_FACTORS} times as much. */
const LONG = 272_000;
const LONG_FACTORS = { input: 2, output: 1.5 } as const;

/** Whether the model has a list price, and so a budget can be enforced. */
export function hasListPrice(model: string): boolean {
  return priceOf(model) !== undefined;
}

/** The tokens of one request at the list price. An unknown model has none: a guess could be wrong by a factor of 100. */
export function pricedUse(model: string | null, tokens: Tokens): ModelUse {
  const price = model === null ? undefined : priceOf(model);
  return {
    model,
    tokens,
    listMicroUsd: price === undefined ? null : listCost(price, tokens),
    onList: price !== undefined,
    costMicroUsd: null,
  };
}

function listCost(price: Price, { input, output, cacheRead, cacheWrite }: Tokens): MicroUsd {
  const isLong = price.long && input + cacheRead + cacheWrite > LONG;
  const factors = isLong ? LONG_FACTORS : { input: 1, output: 1 };
  const { write = price.input } = price;
  const prompt = input * price.input + cacheRead * price.cached + cacheWrite * write;
  return prompt * factors.input + output * price.output * factors.output;
}

/** Without provider and date: `openai/gpt-5.5-2026-04-23`. */
function priceOf(model: string): Price | undefined {
  const name = model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/-\d{4}-\d{2}-\d{2}$/, "");
  return Object.hasOwn(LIST, name) ? LIST[name] : undefined;
}
