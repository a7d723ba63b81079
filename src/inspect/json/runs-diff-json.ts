import { toUsd } from "../../language/basics/money.ts";
import { encodeSums } from "../../storage/codec/state-document.ts";
import type { ComparedRun, RunsDiff } from "../history/diff-runs.ts";
import type { ComparedJson, RunsDiffJson } from "./shapes.ts";

/** Output of `raymond diff-runs --json` (docs/cli.md). */
export function runsDiffJson(diff: RunsDiff): RunsDiffJson {
  const { left, right, divergences, states, otherResults } = diff;
  return {
    same: divergences.length === 0,
    left: comparedJson(left),
    right: comparedJson(right),
    divergences,
    states: states.map(({ state, ...of }) => ({
      state,
      left: encodeSums(of.left),
      right: encodeSums(of.right),
    })),
    other_results: otherResults,
  };
}

function comparedJson(compared: ComparedRun): ComparedJson {
  const { run, status, agents, failures, spentMicroUsd, workedMs, elapsedMs, inProgress } =
    compared;
  return {
    workflow_id: run.id,
    status,
    origin: run.origin === null ? null : { run: run.origin.run, step: run.origin.step },
    in_progress: inProgress,
    steps: run.steps,
    attempts: run.totals.attempts,
    ...{ failures, agents },
    cost_usd: toUsd(spentMicroUsd),
    worked_ms: workedMs,
    elapsed_ms: elapsedMs,
    totals: encodeSums(run.totals),
  };
}
