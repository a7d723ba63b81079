import { dueAt, isIdle } from "../activity.ts";
import type { Agent, AgentId } from "../agent.ts";
import { isInManualSession } from "../manual-session.ts";
import { waitsForPerson } from "../move/question.ts";
import { inFlight } from "../move/roster.ts";
import type { RunState, StopReason } from "../run-state.ts";
import { knownSpend } from "../spend/known-spend.ts";
import { budgetReason, isLive, questionReason, stepLimitReason, stopReason } from "../stop.ts";
import { isWaitOver, waitRefusal } from "../wait/wait.ts";
import { stepKind } from "./gate.ts";

export interface Plan {
  /** The agents whose step may start. */
  readonly starts: readonly AgentId[];
  /** Set if nothing can start: budget, step limit, open question, or no waiting allowed. */
  readonly stop: StopReason | null;
}

export interface PlanOptions {
  /** A user at the terminal answers questions. */
  readonly attended?: boolean | undefined;
  /** Stop if the run only waits for a time (`--park`). */
  readonly parks?: boolean | undefined;
}

const NOTHING: Plan = { starts: [], stop: null };

/**
 * The steps to start now: all due scripts, and due prompts in the order of readiness within
 * `--max-parallel`, the usage limit and the budget. After a usage limit a single prompt probes whether
 * it is over (docs/budgets.md, "Usage limits").
 */
export function plan(
  run: RunState,
  now: number,
  { attended = false, parks = false }: PlanOptions = {},
): Plan {
  if (run.stopReason !== null || !isLive(run)) return NOTHING;
  const question = attended ? null : questionReason(run);
  if (question !== null) return { ...NOTHING, stop: question };
  const limit = stepLimitReason(run);
  if (limit !== null) return { ...NOTHING, stop: limit };
  const due = dueAgents(run, now);
  const scripts = due.filter((agent) => stepKind(agent) === "script");
  const prompts = promptsOf(due).toSorted((a, b) => a.readySince - b.readySince);
  const admitted = admit(run, prompts, now);
  const flying = inFlight(run).length;
  const ready = [...scripts, ...admitted].map(({ id }) => id);
  // Steps in flight count toward --max-steps.
  const stepsLeft = (run.settings.maxSteps ?? Infinity) - run.steps - flying;
  const starts = ready.slice(0, Math.max(0, stepsLeft));

  const blocked = prompts.length > 0 && run.wait !== null && !isWaitOver(run.wait, now);
  const refusal = blocked ? waitRefusal(run, run.wait, run.wait.until - now) : null;
  if (refusal !== null) return { ...NOTHING, stop: stopReason("limit", refusal) };
  const starved = prompts.length > 0 && !blocked && starts.length === 0 && flying === 0;
  if (starved) return { starts, stop: budgetReason(run) };
  const idle = starts.length === 0 && flying === 0 && !(attended && waitsForPerson(run));
  return { starts, stop: parks && idle ? parkedReason(run, now) : null };
}

/** Whether resuming a stopped run would start a step now. */
export function isDue(run: RunState, now: number): boolean {
  const resumed: RunState = { ...run, status: "running", stopReason: null };
  return plan(resumed, now, { attended: true }).starts.length > 0;
}

/** The stop reason of a run that only waits for a time; else null. */
function parkedReason(run: RunState, now: number): StopReason | null {
  const until = run.agents.some(isInManualSession) ? null : nextWakeTime(run, now);
  if (until === null) return null;
  const moment = new Date(until).toISOString().replace(/\.\d+Z$/, "Z");
  return stopReason("parked", `Parked until ${moment} (--park).`);
}

/** When to schedule again without an event, epoch ms; null: never. */
export function nextWakeTime(run: RunState, now: number): number | null {
  if (run.stopReason !== null || !isLive(run)) return null;
  const moments = run.agents.flatMap((agent) =>
    agent.opened === null ? (dueAt(agent, now) ?? []) : [],
  );
  const due = dueAgents(run, now);
  const { wait } = run;
  if (wait !== null && !isWaitOver(wait, now) && promptsOf(due).length > 0)
    moments.push(wait.until);
  const next = Math.min(...moments);
  return next === Infinity ? null : next;
}

/** Agents whose own wait is over. */
function dueAgents(run: RunState, now: number): readonly Agent[] {
  return run.agents.filter(
    (agent) => isIdle(agent) && agent.opened === null && dueAt(agent, now) === null,
  );
}

function promptsOf(agents: readonly Agent[]): readonly Agent[] {
  return agents.filter((agent) => stepKind(agent) === "prompt");
}

function admit(run: RunState, prompts: readonly Agent[], now: number): readonly Agent[] {
  const flying = inFlight(run).filter((agent) => agent.activity.kind === "prompt");
  const { wait } = run;
  if (wait !== null && !isWaitOver(wait, now)) return [];
  const probing = wait !== null && flying.some((agent) => agent.activity.process > wait.process);
  if (probing) return [];
  const { maxParallel, budgetMicroUsd } = run.settings;
  if (budgetMicroUsd !== null && knownSpend(run) >= budgetMicroUsd) return [];
  const free = Math.max(0, maxParallel - flying.length);
  return prompts.slice(0, wait === null ? free : Math.min(free, 1));
}
