import type { MicroUsd } from "../money.ts";

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * What one attempt reported about its cost, as the client said it. What it
 * means in money depends on the client's version and on the session's baseline
 * (contract point 5); `attemptCost` in `ledger.ts` decides.
 */
export interface SpendReport {
  /** From the `init` event, such as `2.1.330`; null when none was seen. */
  readonly clientVersion: string | null;
  readonly model: string | null;
  /** `total_cost_usd` of the last `result` event; null when the process ended without one. */
  readonly totalMicroUsd: MicroUsd | null;
  /** Tokens of this attempt, from the last result or summed from partial messages. */
  readonly tokens: Tokens;
}

export const NO_SPEND: SpendReport = {
  clientVersion: null,
  model: null,
  totalMicroUsd: null,
  tokens: NO_TOKENS,
};
