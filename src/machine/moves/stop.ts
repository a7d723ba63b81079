import { counted } from "../../language/basics/counted.ts";
import { formatUsd } from "../../language/basics/money.ts";
import { fullName } from "../../language/protocol/address.ts";
import { errorOf, isBlocked } from "../model/activity.ts";
import type { Agent } from "../model/agent.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import { inFlight } from "../model/roster.ts";
import { type RunState, type RunStatus, type StopReason, spent } from "../model/run-state.ts";
import { knownSpend } from "../spend/known-spend.ts";
import { formatQuestion, questionsOf, waitsForPerson } from "./question.ts";

/**
 * Stops the run: no further step starts, steps in flight still end. The first reason determines the
 * status (docs/authoring.md, "Error handling").
 */
export function stopRun(run: RunState, reason: StopReason): RunUpdate {
  if (run.stopReason !== null || !isLive(run)) return [run, []];
  const flying = inFlight(run).map((agent) => agent.id);
  return [{ ...run, stopReason: reason }, [{ type: "run.stopping", reason, inFlight: flying }]];
}

/**
 * Stops a run that exceeds its budget, or whose steps in flight have used up the rest, so that they
 * can be interrupted (docs/budgets.md, "The budget of the run").
 */
export function stopOverBudget(run: RunState): RunUpdate {
  const { budgetMicroUsd } = run.settings;
  if (budgetMicroUsd === null || run.agents.length === 0) return [run, []];
  const prompting = inFlight(run).some((agent) => agent.activity.kind === "prompt");
  const over = spent(run) > budgetMicroUsd || (prompting && knownSpend(run) >= budgetMicroUsd);
  return over ? stopRun(run, budgetReason(run)) : [run, []];
}

export function budgetReason(run: RunState): StopReason {
  const budget = formatUsd(run.settings.budgetMicroUsd ?? 0);
  const message = `The budget of ${budget} is used up: ${formatUsd(knownSpend(run))} spent.`;
  return stopReason("budget", message);
}

/** Share of the budget that triggers a warning. */
const WARNING_SHARE = 0.8;

/** The warning event of the step that crossed {@link WARNING_SHARE}. */
export function budgetWarning(before: RunState, after: RunState): readonly Event[] {
  const { budgetMicroUsd } = after.settings;
  if (budgetMicroUsd === null) return [];
  const line = WARNING_SHARE * budgetMicroUsd;
  if (spent(before) >= line || spent(after) < line) return [];
  // Above the budget the run stops instead.
  if (spent(after) > budgetMicroUsd) return [];
  return [{ type: "budget.near", spentMicroUsd: spent(after), budgetMicroUsd }];
}

export function stepLimitReason(run: RunState): StopReason | null {
  const { maxSteps } = run.settings;
  if (maxSteps === null || run.steps < maxSteps) return null;
  // If no agent could continue anyway, the step limit is not the reason.
  if (run.agents.every(isBlocked)) return null;
  const message = `Step limit reached: ${counted(run.steps, "step")} (--max-steps ${String(maxSteps)}).`;
  return stopReason("step-limit", message);
}

/** The reason of a run in which all agents wait for a person, unless it waits with them; else null. */
export function questionReason(run: RunState): StopReason | null {
  if (run.settings.onAsk === "wait" || !waitsForPerson(run)) return null;
  const questions = questionsOf(run);
  const [only, other] = questions;
  if (only === undefined || other !== undefined) {
    return stopReason(
      "question",
      `${String(questions.length)} questions are waiting for an answer.`,
    );
  }
  const message = `Waiting for an answer: ${formatQuestion(only)}`;
  return stopReason("question", message, { id: only.agent, workflow: null, state: only.from });
}

/** `where`: the agent that caused the stop, with its state. */
export function stopReason(
  kind: Exclude<StopReason["class"], "interrupted">,
  message: string,
  where: Pick<Agent, "id" | "workflow" | "state"> | null = null,
): StopReason {
  const state = where && fullName(where);
  return { class: kind, message, agent: where?.id ?? null, state };
}

/** Ends the run if nothing is in flight, all files are committed and nothing will start. Without agents the run is complete, even if it was stopping. */
export function endRun(run: RunState): RunUpdate {
  if (!isLive(run) || inFlight(run).length > 0 || run.closing !== undefined) return [run, []];
  // An agent that waits for failed workers needs a person as well.
  const over = run.agents.every((agent) => isBlocked(agent) && agent.opened === null);
  if (!over && run.stopReason === null) return [run, []];

  if (run.agents.length === 0) {
    const complete: RunState = { ...run, status: "completed", stopReason: null, waits: {} };
    return [complete, [...warnOverBudget(run), endedEvent(complete)]];
  }
  const reason = finalReason(run);
  const ended: RunState = { ...run, status: statusOf(reason), stopReason: reason };
  return [ended, [endedEvent(ended)]];
}

/** Ends a crashed or paused run that no process drives. Steps in flight stay in its state. */
export function stopIdle(run: RunState, reason: StopReason): RunUpdate {
  if (!isLive(run) && run.status !== "paused") return [run, []];
  const ended: RunState = { ...run, status: statusOf(reason), stopReason: reason };
  return [ended, [endedEvent(ended)]];
}

/** Fails a run that a person must repair before it can resume. Steps in flight stay in its state. */
export function failRun(run: RunState, message: string): RunUpdate {
  const reason = stopReason("crash", message);
  const failed: RunState = { ...run, status: "failed", stopReason: reason };
  return [failed, [endedEvent(failed)]];
}

/** The reason that stopped the run; else the first failure. */
function finalReason(run: RunState): StopReason {
  const cause = run.stopReason;
  // Recomputed with the spend of steps that have ended since.
  if (cause?.class === "budget" && cause.state === null) return budgetReason(run);
  if (cause !== null) return cause;
  const first = run.agents.find((agent) => errorOf(agent) !== null);
  const error = first === undefined ? null : errorOf(first);
  if (first === undefined || error === null) throw new Error(`run ${run.id} ends for no reason`);
  return stopReason(error.class, error.message, first);
}

/** docs/state-file.md, "Run". */
function statusOf(reason: StopReason): RunStatus {
  switch (reason.class) {
    case "crash":
    case "deterministic":
    case "lost-session":
    case "denied":
      return "failed";
    case "limit":
    case "outage":
    case "step-limit":
    case "question":
    case "parked":
      return "paused";
    case "budget":
      return "budget_exceeded";
    case "interrupted":
    case "cancelled":
      return "interrupted";
  }
}

/** Whether a run is running or waiting. */
export function isLive(run: RunState): boolean {
  return run.status === "running" || run.status === "waiting";
}

function warnOverBudget(run: RunState): readonly Event[] {
  const { budgetMicroUsd } = run.settings;
  if (budgetMicroUsd === null || spent(run) <= budgetMicroUsd) return [];
  const message = `The run completed, but its last steps exceeded the budget of ${formatUsd(budgetMicroUsd)}.`;
  return [{ type: "run.warning", message, hint: null }];
}

function endedEvent(run: RunState): Event {
  return {
    type: "run.ended",
    run: run.id,
    status: run.status,
    reason: run.stopReason,
    costMicroUsd: run.totals.costMicroUsd,
    estimatedMicroUsd: run.totals.estimatedMicroUsd,
    steps: run.steps,
    results: run.results,
    denied: run.denied ?? [],
  };
}
