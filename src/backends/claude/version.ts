import { compareVersion } from "../../core/compare-version.ts";

/** From this version on `total_cost_usd` is that of the whole conversation (docs/claude.md, "Money"). */
const CUMULATIVE_SINCE = [2, 1, 277] as const;

/** An unknown version counts as per invocation: that can only count too much, never too little. */
export function isCumulative(version: string | null): boolean {
  return compareVersion(version ?? "0", CUMULATIVE_SINCE) >= 0;
}
