import { counted } from "../counted.ts";
import { formatUsd } from "../money.ts";
import { fullName } from "../protocol/address.ts";
import { errorOf, isStuck } from "./activity.ts";
import type { Agent } from "./agent.ts";
import type { Advanced, Event } from "./event.ts";
import { knownSpend } from "./known-spend.ts";
import { questionsOf, shownQuestion, waitsForPerson } from "./question.ts";
import { inFlight } from "./roster.ts";
import { type RunState, type RunStatus, type StopReason, spent } from "./run-state.ts";

/**
 * Asks the run to stop: from now on no step is started, and the first cause
 * names its status (docs/authoring.md, "When something goes wrong"). Steps in
 * flight still end, and are recorded.
 */
export function stopRun(run: RunState, reason: StopReason): Advanced {
  if (run.stopReason !== null || !isLive(run)) return [run, []];
  const flying = inFlight(run).map((agent) => agent.id);
  return [{ ...run, stopReason: reason }, [{ type: "run.stopping", reason, inFlight: flying }]];
}

/**
 * Stops a run that has spent more than its budget, after the move that it paid
 * for; and one whose steps in flight are known to have used up the rest, so
 * that they can be interrupted (docs/budgets.md, "The budget of the run").
 */
export function stopOverBudget(run: RunState): Advanced {
  const { budgetMicroUsd } = run.settings;
  if (budgetMicroUsd === null || run.agents.length === 0) return [run, []];
  const prompting = inFlight(run).some((agent) => agent.activity.kind === "prompt");
  const over = spent(run) > budgetMicroUsd || (prompting && knownSpend(run) >= budgetMicroUsd);
  return over ? stopRun(run, budgetReason(run)) : [run, []];
}

/** The reason of a run whose budget is used up. */
export function budgetReason(run: RunState): StopReason {
  const budget = formatUsd(run.settings.budgetMicroUsd ?? 0);
  const message = `The budget of ${budget} is used up: ${formatUsd(knownSpend(run))} spent.`;
  return stopReason("budget", message);
}

/** The part of the budget from which on the user is warned. */
const NEAR = 0.8;

/** Tells once that most of the budget is spent: when this step has carried it over the line. */
export function budgetNear(before: RunState, after: RunState): readonly Event[] {
  const { budgetMicroUsd } = after.settings;
  if (budgetMicroUsd === null) return [];
  const line = NEAR * budgetMicroUsd;
  if (spent(before) >= line || spent(after) < line) return [];
  // Past the budget itself the run stops, and says so with better reason.
  if (spent(after) > budgetMicroUsd) return [];
  return [{ type: "budget.near", spentMicroUsd: spent(after), budgetMicroUsd }];
}

/** The reason of a run that has made as many steps as it may; null while it may make more. */
export function stepLimitReason(run: RunState): StopReason | null {
  const { maxSteps } = run.settings;
  if (maxSteps === null || run.steps < maxSteps) return null;
  // Where nobody could make another step, it is not for want of steps.
  if (run.agents.every(isStuck)) return null;
  const message = `The run has made ${counted(run.steps, "step")}, and --max-steps allows ${String(maxSteps)}.`;
  return stopReason("step-limit", message);
}

/** The reason of a run in which everybody waits for a person, where nobody is to wait with them; null of any other. */
export function questionReason(run: RunState): StopReason | null {
  if (run.settings.onAsk === "wait" || !waitsForPerson(run)) return null;
  const questions = questionsOf(run);
  const [only, other] = questions;
  if (only === undefined || other !== undefined) {
    return stopReason("question", `${String(questions.length)} questions wait for an answer.`);
  }
  const message = `It waits for an answer: ${shownQuestion(only)}`;
  return stopReason("question", message, { id: only.agent, workflow: null, state: only.from });
}

/** Why a run stops, but for an interrupt; `where`: the agent that is the cause, with the state that it is in. */
export function stopReason(
  kind: Exclude<StopReason["class"], "interrupted">,
  message: string,
  where: Pick<Agent, "id" | "workflow" | "state"> | null = null,
): StopReason {
  const state = where && fullName(where);
  return { class: kind, message, agent: where?.id ?? null, state };
}

/**
 * Ends the run when nothing is in flight and nothing will start again; else it
 * returns the run as it is. A stop that finds no agent left has come too late:
 * the run is complete.
 */
export function endRun(run: RunState): Advanced {
  if (!isLive(run) || inFlight(run).length > 0) return [run, []];
  // Who waits for workers that have failed waits for a person as well.
  const over = run.agents.every((agent) => isStuck(agent) && agent.opened === null);
  if (!over && run.stopReason === null) return [run, []];

  if (run.agents.length === 0) {
    const complete: RunState = { ...run, status: "completed", stopReason: null, wait: null };
    return [complete, [...warnOverBudget(run), told(complete)]];
  }
  const reason = finalReason(run);
  const ended: RunState = { ...run, status: statusOf(reason), stopReason: reason };
  return [ended, [told(ended)]];
}

/** Fails a run that cannot be resumed before a person has changed something. Steps in flight stay in its state. */
export function failRun(run: RunState, message: string): Advanced {
  const reason = stopReason("crash", message);
  const failed: RunState = { ...run, status: "failed", stopReason: reason };
  return [failed, [told(failed)]];
}

/** The first cause that stopped the run; else the first failure, for nobody is left to go on. */
function finalReason(run: RunState): StopReason {
  const cause = run.stopReason;
  // What was known when the budget was used up is what was spent by now.
  if (cause?.class === "budget" && cause.state === null) return budgetReason(run);
  if (cause !== null) return cause;
  const first = run.agents.find((agent) => errorOf(agent) !== null);
  const error = first === undefined ? null : errorOf(first);
  if (first === undefined || error === null) throw new Error(`run ${run.id} ends for no reason`);
  return stopReason(error.class, error.message, first);
}

/** What a run that stopped for this reason is called (docs/state-file.md, "The run"). */
function statusOf(reason: StopReason): RunStatus {
  switch (reason.class) {
    case "crash":
    case "deterministic":
    case "lost-session":
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

/** Whether a run goes on, as far as its state says. */
export function isLive(run: RunState): boolean {
  return run.status === "running" || run.status === "waiting";
}

function warnOverBudget(run: RunState): readonly Event[] {
  const { budgetMicroUsd } = run.settings;
  if (budgetMicroUsd === null || spent(run) <= budgetMicroUsd) return [];
  const message = `The run is complete, and its last steps went over the budget of ${formatUsd(budgetMicroUsd)}.`;
  return [{ type: "run.warning", message, hint: null }];
}

function told(run: RunState): Event {
  return {
    type: "run.ended",
    run: run.id,
    status: run.status,
    reason: run.stopReason,
    costMicroUsd: run.totals.costMicroUsd,
    estimatedMicroUsd: run.totals.estimatedMicroUsd,
    steps: run.steps,
    results: run.results,
  };
}
