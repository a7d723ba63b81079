/** Negative, zero or positive, like the comparator of a sort. */
export function compareVersion(version: string, other: readonly number[]): number {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10) || 0);
  for (const [index, part] of other.entries()) {
    const difference = (parts[index] ?? 0) - part;
    if (difference !== 0) return difference;
  }
  return 0;
}
