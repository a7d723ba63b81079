/** Integer micro-dollars, so that sums are exact (docs/budgets.md, "How money is counted"). */
export type MicroUsd = number;

export function toMicroUsd(usd: number): MicroUsd {
  return Math.round(usd * 1e6);
}

export function toUsd(microUsd: MicroUsd): number {
  return microUsd / 1e6;
}

/** `$0.42`; four decimals below ten cents. */
export function formatUsd(microUsd: MicroUsd): string {
  const digits = microUsd !== 0 && Math.abs(microUsd) < 100_000 ? 4 : 2;
  return `$${(microUsd / 1e6).toFixed(digits)}`;
}
