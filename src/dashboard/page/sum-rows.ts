import { formatDuration } from "../../core/duration.ts";
import { formatUsd, toMicroUsd } from "../../core/money.ts";
import { formatTokens } from "../../core/tokens.ts";
import { printable } from "../../observers/printable.ts";
import type { RunCostJson } from "../api.ts";

type Sums = RunCostJson["sums"]["agents"];

/** What one of them has used: all of it text that is safe to show. */
export interface SumRow {
  readonly name: string;
  readonly attempts: string;
  readonly took: string;
  readonly tokens: string;
  readonly cost: string;
}

/** The dearest first, then those that took longest. */
export function sumRows(sums: Sums): readonly SumRow[] {
  return Object.entries(sums)
    .map(([name, of]) => ({ name, of, usd: of.cost_usd + of.estimated_usd }))
    .toSorted((a, b) => b.usd - a.usd || b.of.duration_s - a.of.duration_s)
    .map(({ name, of, usd }) => ({
      name: printable(name),
      attempts: String(of.attempts),
      took: formatDuration(of.duration_s * 1_000),
      tokens: formatTokens(
        of.tokens.input + of.tokens.output + of.tokens.cache_read + of.tokens.cache_write,
      ),
      cost: formatUsd(toMicroUsd(usd)),
    }));
}
