import type { JsonObject } from "../../language/basics/json-object.ts";
import { type ModelUse, NO_TOKENS } from "../../machine/model/spend.ts";
import { objectAt, readCount, textAt } from "../common/json-fields.ts";
import { readUsage } from "./output/usage.ts";

/** List price of a model, as 2.1.330 charges it (2026-11). */
interface Price {
  /** Dollars of one million uncached input tokens. */
  readonly usd: number;
  /** Price of a token read from the cache, as a share of an input token; default 0.1. */
  readonly cacheRead?: number;
  /** Prompts of more than `above` tokens multiply the price of the call by `factor`. */
  readonly long?: { readonly above: number; readonly factor: number };
  /** Price factor of fast mode. */
  readonly fast?: number;
}

/** Price factors of output, cache writes (5 minutes, 1 hour) and cache reads, the same for all models. */
const MULTIPLES = { output: 5, cacheWrite: 1.25, cacheWriteHour: 2, cacheRead: 0.1 } as const;

/** By model name without the date. */
const LIST: Readonly<Record<string, Price>> = {
  "claude-3-5-haiku": { usd: 0.8 },
  "claude-3-5-sonnet": { usd: 3 },
  "claude-3-7-sonnet": { usd: 3 },
  "claude-fable-5": { usd: 10 },
  "claude-fable-5-1": { usd: 10, cacheRead: 0.025 },
  "claude-fable-5-2": { usd: 8, cacheRead: 0.025, fast: 2 },
  "claude-haiku-4-5": { usd: 1 },
  "claude-haiku-5-5": { usd: 0.1, long: { above: 100_000, factor: 5 } },
  "claude-mythos-5": { usd: 10 },
  "claude-mythos-5-1": { usd: 10, cacheRead: 0.025 },
  "claude-mythos-5-2": { usd: 8, cacheRead: 0.025, fast: 2 },
  "claude-opus-4-0": { usd: 15 },
  "claude-opus-4": { usd: 15 },
  "claude-opus-4-1": { usd: 15 },
  "claude-opus-4-5": { usd: 5 },
  "claude-opus-4-6": { usd: 5, fast: 6 },
  "claude-opus-4-7": { usd: 5, fast: 6 },
  "claude-opus-4-8": { usd: 5, fast: 2 },
  "claude-opus-5": { usd: 5, fast: 2 },
  "claude-opus-5-5": { usd: 4, cacheRead: 0.05, fast: 2 },
  "claude-sonnet-4-0": { usd: 3 },
  "claude-sonnet-4": { usd: 3 },
  "claude-sonnet-4-5": { usd: 3 },
  "claude-sonnet-4-6": { usd: 3 },
  "claude-sonnet-5": { usd: 2 },
  "claude-sonnet-5-5": { usd: 2, cacheRead: 0.05 },
};

/** For unlisted models, by family: the most expensive current model. */
const FAMILIES: readonly (readonly [family: RegExp, price: Price])[] = [
  [/opus/, { usd: 5 }],
  [/sonnet/, { usd: 3 }],
  [/haiku/, { usd: 1 }],
  [/fable|mythos/, { usd: 10 }],
];

/** Price of one web search, micro-dollars. */
const SEARCH_MICRO_USD = 10_000;

/** The listed name of a model: without provider, date and context size. */
export function modelName(model: string): string {
  const plain = model.toLowerCase().replace(/\[[^\]]*\]$/, "");
  const [, name] = /(?:^|[./])(claude-.*?)(?:-v\d+(?::\d+)?)?$/.exec(plain) ?? [];
  return (name ?? plain).replace(/[@-]\d{8}$/, "").replace(/-latest$/, "");
}

/** The list price of a `usage` of the API. */
export function listCost(
  model: string | null,
  usage: JsonObject,
): Pick<ModelUse, "listMicroUsd" | "onList"> {
  const name = model === null ? "" : modelName(model);
  const listed = Object.hasOwn(LIST, name) ? LIST[name] : undefined;
  const price = listed ?? FAMILIES.find(([family]) => family.test(name))?.[1];
  if (price === undefined) return { listMicroUsd: null, onList: false };
  const { input, output, cacheRead, cacheWrite } = readUsage(usage, NO_TOKENS);
  const hourly = readCount(objectAt(usage, "cache_creation"), "ephemeral_1h_input_tokens", 0);
  const hour = Math.min(cacheWrite, hourly);
  const searches = readCount(objectAt(usage, "server_tool_use"), "web_search_requests", 0);
  const weight =
    input +
    output * MULTIPLES.output +
    (cacheWrite - hour) * MULTIPLES.cacheWrite +
    hour * MULTIPLES.cacheWriteHour +
    cacheRead * (price.cacheRead ?? MULTIPLES.cacheRead);
  const prompt = input + cacheRead + cacheWrite;
  const long = price.long !== undefined && prompt > price.long.above ? price.long.factor : 1;
  const fast = textAt(usage, "speed") === "fast" ? (price.fast ?? 1) : 1;
  const listMicroUsd = weight * price.usd * long * fast + searches * SEARCH_MICRO_USD;
  return { listMicroUsd, onList: listed !== undefined };
}
