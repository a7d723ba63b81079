import { compareVersion } from "../../language/basics/compare-version.ts";

/** From this version on `total_cost_usd` is of the whole conversation (docs/claude.md, "Cost"). */
const CUMULATIVE_SINCE = [2, 1, 277] as const;

/** An unknown version counts as per call, which can only overestimate the cost. */
export function isCumulative(version: string | null): boolean {
  return compareVersion(version ?? "0", CUMULATIVE_SINCE) >= 0;
}
