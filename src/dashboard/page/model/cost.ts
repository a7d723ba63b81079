import { formatDuration } from "../../../language/basics/duration.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import { formatTokens } from "../../../language/basics/tokens.ts";
import type { RunCostJson } from "../../api.ts";

/**
 * Cost over time as SVG paths, with the values at the axes. Cost is constant between two points. Null if nothing was
 * spent.
 */
export function costCurve(
  { over_time: points, budget_usd }: Pick<RunCostJson, "over_time" | "budget_usd">,
  { width, height }: { readonly width: number; readonly height: number },
) {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.total_usd <= 0) return null;
  const from = Date.parse(first.at);
  const to = Math.max(Date.parse(last.at), from + 1_000);
  const isNear = budget_usd !== null && budget_usd <= last.total_usd * 4;
  const highestUsd = Math.max(last.total_usd, isNear ? budget_usd : 0);
  const x = (at: string) => rounded(((Date.parse(at) - from) / (to - from)) * width);
  const y = (usd: number) => rounded(height - (usd / highestUsd) * height);
  const stairs = points.slice(1).map(({ at, total_usd }) => `H${x(at)}V${y(total_usd)}`);
  const line = `M${x(first.at)},${y(first.total_usd)}${stairs.join("")}`;
  return {
    line,
    area: `${line}V${rounded(height)}H0Z`,
    /** y of the budget; null if it is far above the curve, or unlimited. */
    budget: isNear ? Number(y(budget_usd)) : null,
    highestUsd,
    // Epoch ms.
    ...{ from, to },
  };
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export function formatCost(usd: number | null): string {
  return usd === null || usd === 0 ? "" : formatUsd(toMicroUsd(usd));
}

/** The usage of agents or models as a table: most expensive first, then longest. */
export function totalsTable(
  name: string,
  totals: RunCostJson["sums"]["agents"],
): readonly (readonly string[])[] {
  const rows = Object.entries(totals)
    .map(([key, of]) => ({ key, of, usd: of.cost_usd + of.estimated_usd }))
    .toSorted((a, b) => b.usd - a.usd || b.of.duration_s - a.of.duration_s)
    .map(({ key, usd, of: { attempts, duration_s, tokens } }) => [
      key,
      String(attempts),
      formatDuration(duration_s * 1_000),
      formatTokens(tokens.input + tokens.output + tokens.cache_read + tokens.cache_write),
      formatUsd(toMicroUsd(usd)),
    ]);
  return [[name, "Attempts", "Time", "Tokens", "Cost"], ...rows];
}
