import type { MicroUsd } from "../money.ts";
import type { Context } from "./context-size.ts";

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

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
  /** Those of `tokens` that neither figure above holds: of an answer that was broken off. */
  readonly unreported: Tokens;
  /** List price of one uncached input token, micro-dollars (a fraction); null where the backend has none. */
  readonly listPrice: number | null;
  /** What its conversation holds now; null where that was not told. */
  readonly context: Context | null;
}

export const NO_SPEND: SpendReport = {
  version: null,
  model: null,
  costMicroUsd: null,
  conversationMicroUsd: null,
  settled: false,
  tokens: NO_TOKENS,
  unreported: NO_TOKENS,
  listPrice: null,
  context: null,
};

/** What an attempt has used that has told tokens and no figure in dollars yet. */
export function unpaid(
  of: Pick<SpendReport, "version" | "model" | "tokens" | "listPrice">,
): SpendReport {
  return { ...NO_SPEND, ...of, unreported: of.tokens };
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** Tokens as a number of uncached input tokens: the ratios of prices are the same for all models today. */
export function weigh({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + 5 * output + 1.25 * cacheWrite + 0.1 * cacheRead;
}
