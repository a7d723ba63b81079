/** Integer micro-dollars: sums are exact (docs/budgets.md, "How money is counted"). */
export type MicroUsd = number;

/** Dollars as micro-dollars, rounded to the nearest. */
export function toMicroUsd(usd: number): MicroUsd {
  return Math.round(usd * 1e6);
}

/** Micro-dollars as a number of dollars, for JSON. */
export function toUsd(microUsd: MicroUsd): number {
  return microUsd / 1e6;
}

/** `$0.42`; amounts under ten cents keep four decimals, so that small costs are seen. */
export function formatUsd(microUsd: MicroUsd): string {
  const digits = microUsd !== 0 && Math.abs(microUsd) < 100_000 ? 4 : 2;
  return `$${(microUsd / 1e6).toFixed(digits)}`;
}
