import { formatDuration } from "../../../language/basics/duration.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import { formatTokens } from "../../../language/basics/tokens.ts";
import { printable } from "../../../log/printable.ts";
import type { RunCostJson } from "../../api.ts";

type Totals = RunCostJson["sums"]["agents"];

/** Usage of an agent or a model. All texts are safe to display. */
export interface TotalsRow {
  readonly name: string;
  readonly attempts: string;
  readonly took: string;
  readonly tokens: string;
  readonly cost: string;
}

/** Most expensive first, then longest. */
export function totalsRows(totals: Totals): readonly TotalsRow[] {
  return Object.entries(totals)
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
