import type { MicroUsd } from "../../language/basics/money.ts";

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Tokens of one model, with their price. */
export interface ModelUse {
  readonly model: string | null;
  readonly tokens: Tokens;
  /** By list price, micro-dollars (fractional); null: the backend has no price for the model. */
  readonly listMicroUsd: number | null;
  /** The price is of this model, not of its family: a reported cost can be compared with it. */
  readonly onList: boolean;
  /** The reported cost, micro-dollars (fractional); null: not reported. */
  readonly costMicroUsd: number | null;
}

/** The usage of one attempt, as reported by its backend. `charge` computes its cost (docs/budgets.md, "How money is counted"). */
export interface SpendReport {
  /** Version of the client; null: not reported. */
  readonly version: string | null;
  readonly model: string | null;
  /** Cost of the attempt alone; null: not reported. */
  readonly costMicroUsd: MicroUsd | null;
  /** Total cost of its conversation so far; null: not reported. */
  readonly conversationMicroUsd: MicroUsd | null;
  /** The client was not killed: its next total of this conversation includes all of this attempt. */
  readonly settled: boolean;
  /** All tokens of this attempt, including reported ones of subagents. */
  readonly tokens: Tokens;
  /** By model, those of `tokens` that the figures above include. Empty: unknown. */
  readonly reported: readonly ModelUse[];
  /** By model, those of `tokens` that neither figure above includes. */
  readonly unreported: readonly ModelUse[];
  /** Size of its conversation; null: not reported. */
  readonly context: Context | null;
  /** Read from a conversation, not from a client: its total may be older than its answers. */
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

/** The spend of an attempt that has reported tokens but no cost. */
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

/** Subtracts the tokens of `others` by model, at the same price. */
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

/** These tokens at the price of `use`. */
function partOf(use: ModelUse, tokens: Tokens): ModelUse {
  const share = weightedTokens(tokens) / weightedTokens(use.tokens);
  const { listMicroUsd: list } = use;
  return { ...use, tokens, listMicroUsd: list === null ? null : list * share, costMicroUsd: null };
}

/** Size of a conversation (docs/authoring.md, "Long conversations"). */
export interface Context {
  /** Input, cache and output of the last message of the main thread. */
  readonly tokens: number;
  /** Context window of the model; null: unknown. */
  readonly window: number | null;
}

/** By session. */
export type Contexts = Readonly<Record<string, Context>>;
