/** From this version on `total_cost_usd` is that of the whole conversation (docs/claude.md, "Money"). */
const CUMULATIVE_SINCE = [2, 1, 277] as const;

/** An unknown version counts as per invocation: that can only count too much, never too little. */
export function isCumulative(version: string | null): boolean {
  return compareVersion(version ?? "0", CUMULATIVE_SINCE) >= 0;
}

/** Below, at or above zero, as the version is older than the other, the same or newer. */
export function compareVersion(version: string, other: readonly number[]): number {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10) || 0);
  for (const [index, part] of other.entries()) {
    const difference = (parts[index] ?? 0) - part;
    if (difference !== 0) return difference;
  }
  return 0;
}
