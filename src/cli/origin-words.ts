import type { RunState } from "../core/machine/run-state.ts";
import { formatUsd } from "../core/money.ts";

/** Where a run comes from that a rerun has begun, as a sentence; null of any other. */
export function originSentence({ origin }: Pick<RunState, "origin">): string | null {
  if (origin === null) return null;
  const { run, step, costMicroUsd } = origin;
  return `It began where ${run} stood before step ${String(step)}: the ${formatUsd(costMicroUsd)} spent there are not counted here.`;
}
