import { dueAt, isIdle } from "./activity.ts";
import type { Agent, AgentId } from "./agent.ts";
import { stepKind } from "./gate.ts";
import { knownSpend } from "./known-spend.ts";
import { isOpened } from "./opening.ts";
import { waitsForPerson } from "./question.ts";
import { inFlight } from "./roster.ts";
import type { RunState, StopReason } from "./run-state.ts";
import { budgetReason, isLive, questionReason, stepLimitReason, stopReason } from "./stop.ts";
import { refuseToWait } from "./wait.ts";
import { isOver } from "./wait-end.ts";

/** What there is to do now, derived from the run. */
export interface Plan {
  /** The agents whose step may start. */
  readonly starts: readonly AgentId[];
  /** Set when nothing can start any more: for want of money, of steps or of an answer, or where waiting is not wanted. */
  readonly stop: StopReason | null;
}

export interface PlanOptions {
  /** The person who is asked sits here. */
  readonly attended?: boolean | undefined;
  /** The run stops where it only waits for a time, and is resumed at that time. */
  readonly parks?: boolean | undefined;
}

const NOTHING: Plan = { starts: [], stop: null };

/**
 * Which agents step now. Scripts always; prompt steps in the order of readiness,
 * as far as `--max-parallel`, a usage limit and the budget let them. After a
 * usage limit one prompt step goes first, and the others follow once it got
 * through (docs/budgets.md, "Usage limits").
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
  // Every step in flight may be one of those that --max-steps still allows.
  const stepsLeft = (run.settings.maxSteps ?? Infinity) - run.steps - flying;
  const starts = ready.slice(0, Math.max(0, stepsLeft));

  const blocked = prompts.length > 0 && run.wait !== null && !isOver(run.wait, now);
  const refusal = blocked ? refuseToWait(run, run.wait, run.wait.until - now) : null;
  if (refusal !== null) return { ...NOTHING, stop: stopReason("limit", refusal) };
  const starved = prompts.length > 0 && !blocked && starts.length === 0 && flying === 0;
  if (starved) return { starts, stop: budgetReason(run) };
  const idle = starts.length === 0 && flying === 0 && !(attended && waitsForPerson(run));
  return { starts, stop: parks && idle ? parkedReason(run, now) : null };
}

/** Whether a resume of a run that has stopped would start a step now. */
export function isDue(run: RunState, now: number): boolean {
  const resumed: RunState = { ...run, status: "running", stopReason: null };
  return plan(resumed, now, { attended: true }).starts.length > 0;
}

/** The reason of a run that only waits for a time; null of one that waits for anything else. */
function parkedReason(run: RunState, now: number): StopReason | null {
  const until = run.agents.some(isOpened) ? null : wakeAt(run, now);
  if (until === null) return null;
  const moment = new Date(until).toISOString().replace(/\.\d+Z$/, "Z");
  return stopReason("parked", `It waits until ${moment}, and --park ends the process meanwhile.`);
}

/** Epoch ms at which to look again though nothing has happened; null: only when something has. */
export function wakeAt(run: RunState, now: number): number | null {
  if (run.stopReason !== null || !isLive(run)) return null;
  const moments = run.agents.flatMap((agent) =>
    agent.opened === null ? (dueAt(agent, now) ?? []) : [],
  );
  const due = dueAgents(run, now);
  const { wait } = run;
  if (wait !== null && !isOver(wait, now) && promptsOf(due).length > 0) moments.push(wait.until);
  const next = Math.min(...moments);
  return next === Infinity ? null : next;
}

/** The agents that nothing of their own keeps from their next step. */
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
  if (wait !== null && !isOver(wait, now)) return [];
  const probing = wait !== null && flying.some((agent) => agent.activity.process > wait.process);
  if (probing) return [];
  const { maxParallel, budgetMicroUsd } = run.settings;
  if (budgetMicroUsd !== null && knownSpend(run) >= budgetMicroUsd) return [];
  const free = Math.max(0, maxParallel - flying.length);
  return prompts.slice(0, wait === null ? free : Math.min(free, 1));
}
