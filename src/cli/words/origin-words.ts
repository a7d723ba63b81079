import { formatUsd } from "../../language/basics/money.ts";
import type { RunState } from "../../machine/run-state.ts";

/** The origin of a rerun as a sentence. Null for any other run. */
export function originSentence({ origin }: Pick<RunState, "origin">): string | null {
  if (origin === null) return null;
  const { run, step, costMicroUsd } = origin;
  return `It started from ${run} before step ${String(step)}: the ${formatUsd(costMicroUsd)} spent there are not counted here.`;
}
