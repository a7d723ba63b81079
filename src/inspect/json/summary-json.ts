import type { RunSummary } from "../../engine/ports/store.ts";
import { holderJson } from "./holder-json.ts";
import type { SummaryJson } from "./shapes.ts";

/** A run of a list: snake_case and dollars, like the state file. */
export function summaryJson(run: RunSummary): SummaryJson {
  return {
    workflow_id: run.id,
    status: run.status,
    workflow: run.workflow,
    simulated: run.simulated,
    total_cost_usd: run.costMicroUsd === null ? null : run.costMicroUsd / 1e6,
    origin: run.origin && { run: run.origin.run, step: run.origin.step },
    steps: run.steps,
    agents: run.agents,
    started_at: run.startedAt,
    updated_at: run.updatedAt,
    waits_until: run.waitsUntil,
    questions: run.questions.map((question) => ({ ...question })),
    held_by: run.holder === null ? null : holderJson(run.holder),
    problem: run.problem,
  };
}
