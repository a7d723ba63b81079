import type { MicroUsd } from "../../language/basics/money.ts";

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Tokens of one model, and what they are worth. */
export interface ModelUse {
  readonly model: string | null;
  readonly tokens: Tokens;
  /** By list price, micro-dollars (a fraction); null where the backend has no price for the model. */
  readonly listMicroUsd: number | null;
  /** The price is that of this model, and not of its family: a reported cost can be checked against it. */
  readonly onList: boolean;
  /** What the client says that these tokens have cost, micro-dollars (a fraction); null where it does not. */
  readonly costMicroUsd: number | null;
}

/**
 * What one attempt is known to have used, as its backend read it. What it means
 * in money is said by `charge` (docs/budgets.md, "How money is counted").
 */
export interface SpendReport {
  /** Version of what has answered, as the backend tells it; null when it was not said. */
  readonly version: string | null;
  readonly model: string | null;
  /** What the attempt alone has cost, where the client says that; else null. */
  readonly costMicroUsd: MicroUsd | null;
  /** What its whole conversation has cost until now, where the client says that; else null. */
  readonly conversationMicroUsd: MicroUsd | null;
  /**
   * The client has ended by itself: its next total of this conversation holds
   * all of this attempt. Of one that was ended nobody knows what it will hold.
   */
  readonly settled: boolean;
  /** All tokens of this attempt, those of its subagents too where they were told. */
  readonly tokens: Tokens;
  /** By model, those of `tokens` that the figures above include. Empty where the backend does not know. */
  readonly reported: readonly ModelUse[];
  /** By model, those of `tokens` that neither figure above includes. */
  readonly unreported: readonly ModelUse[];
  /** What its conversation holds now; null where that was not told. */
  readonly context: Context | null;
  /** Read in a conversation, and not from a client that has ended: its total may be older than its answers. */
  readonly isRecalled?: true;
}

export const NO_SPEND: SpendReport = {
  version: null,
  model: null,
  costMicroUsd: null,
  conversationMicroUsd: null,
  settled: false,
  tokens: NO_TOKENS,
  reported: [],
  unreported: [],
  context: null,
};

/** What an attempt has used that has told tokens and no figure in dollars yet. */
export function unpricedSpend(
  of: Pick<SpendReport, "version" | "model" | "unreported">,
): SpendReport {
  return { ...NO_SPEND, ...of, tokens: sumTokens(of.unreported) };
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** What of `a` is not in `b`. */
export function subtractTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: Math.max(0, a.input - b.input),
    output: Math.max(0, a.output - b.output),
    cacheRead: Math.max(0, a.cacheRead - b.cacheRead),
    cacheWrite: Math.max(0, a.cacheWrite - b.cacheWrite),
  };
}

export function sumTokens(uses: readonly Pick<ModelUse, "tokens">[]): Tokens {
  return uses.reduce((sum, { tokens }) => addTokens(sum, tokens), NO_TOKENS);
}

/** Tokens as a number of uncached input tokens: the ratios of prices are about the same for all models. */
export function weightedTokens({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + 5 * output + 1.25 * cacheWrite + 0.1 * cacheRead;
}

/** One entry for each model. */
export function mergeUses(uses: readonly ModelUse[]): readonly ModelUse[] {
  const sums = new Map<string | null, ModelUse>();
  for (const use of uses) {
    const before = sums.get(use.model);
    sums.set(use.model, before === undefined ? use : addUses(before, use));
  }
  return [...sums.values()];
}

function addUses(a: ModelUse, b: ModelUse): ModelUse {
  return {
    model: a.model,
    tokens: addTokens(a.tokens, b.tokens),
    listMicroUsd: addKnown(a.listMicroUsd, b.listMicroUsd),
    onList: a.onList && b.onList,
    costMicroUsd: addKnown(a.costMicroUsd, b.costMicroUsd),
  };
}

function addKnown(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** By model, what of `uses` is not in `others`, valued as it is there. */
export function subtractUses(
  uses: readonly ModelUse[],
  others: readonly ModelUse[],
): readonly ModelUse[] {
  return uses.flatMap((use) => {
    const same = sumTokens(others.filter(({ model }) => model === use.model));
    const tokens = subtractTokens(use.tokens, same);
    return weightedTokens(tokens) > 0 ? [partOf(use, tokens)] : [];
  });
}

/** These tokens at the price that all of `use` has. */
function partOf(use: ModelUse, tokens: Tokens): ModelUse {
  const share = weightedTokens(tokens) / weightedTokens(use.tokens);
  const { listMicroUsd: list } = use;
  return { ...use, tokens, listMicroUsd: list === null ? null : list * share, costMicroUsd: null };
}

/** How much of its window a conversation fills (docs/authoring.md, "Long conversations"). */
export interface Context {
  /** Of the last message of the main thread: input, cache and output together. */
  readonly tokens: number;
  /** What the model can hold; null: it was not said. */
  readonly window: number | null;
}

/** By session. */
export type Contexts = Readonly<Record<string, Context>>;
