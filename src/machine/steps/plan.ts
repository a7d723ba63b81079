import { waitsByBackend } from "../backends/backend-waits.ts";
import {
  type BackendChoice,
  chooseBackend,
  probedBackends,
  waitRefusal,
} from "../backends/choose-backend.ts";
import { isWaitOver } from "../backends/wait-over.ts";
import { dueAt, isIdle } from "../model/activity.ts";
import type { Agent, AgentId } from "../model/agent.ts";
import { stepKind } from "../model/gate.ts";
import { inFlight } from "../model/roster.ts";
import type { RunState, StopReason, Wait } from "../model/run-state.ts";
import { waitsForPerson } from "../moves/question.ts";
import {
  budgetReason,
  isLive,
  questionReason,
  stepLimitReason,
  stopReason,
} from "../moves/stop.ts";
import { knownSpend } from "../spend/known-spend.ts";
import { isInManualSession } from "./manual-session.ts";

export interface Plan {
  readonly starts: readonly AgentId[];
  /** The coding agents of their prompts. */
  readonly choices: ReadonlyMap<AgentId, BackendChoice>;
  /** Set if nothing can start: budget, step limit, open question, or no waiting allowed. */
  readonly stop: StopReason | null;
}

export interface PlanOptions {
  /** A user at the terminal answers questions. */
  readonly attended?: boolean | undefined;
  /** Stop if the run only waits for a time (`--park`). */
  readonly parks?: boolean | undefined;
}

const NOTHING: Plan = { starts: [], choices: new Map(), stop: null };

/**
 * The steps to start now: all due scripts, and due prompts in the order of readiness within
 * `--max-parallel`, the usage limits and the budget. After a usage limit a single prompt probes whether
 * it is over (docs/budgets.md, "Usage limits"). A limit of one coding agent does not delay prompts of
 * others.
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
  const { admitted, choices } = admit(run, prompts, now);
  const flying = inFlight(run).length;
  const ready = [...scripts, ...admitted].map(({ id }) => id);
  // Steps in flight count toward --max-steps.
  const stepsLeft = (run.settings.maxSteps ?? Infinity) - run.steps - flying;
  const starts = ready.slice(0, Math.max(0, stepsLeft));

  const blocking = blockingWaits(run, prompts, now);
  const refusals = [...new Set(blocking.values())].flatMap(
    (wait) => waitRefusal(run, wait, wait.until - now) ?? [],
  );
  const [refusal] = refusals;
  if (refusal !== undefined) return { ...NOTHING, stop: stopReason("limit", refusal) };
  const starved = prompts.length > blocking.size && starts.length === 0 && flying === 0;
  if (starved) return { starts, choices, stop: budgetReason(run) };
  const idle = starts.length === 0 && flying === 0 && !(attended && waitsForPerson(run));
  return { starts, choices, stop: parks && idle ? parkedReason(run, now) : null };
}

/** Of due prompts, those whose coding agent waits, with its wait. */
function blockingWaits(
  run: RunState,
  prompts: readonly Agent[],
  now: number,
): ReadonlyMap<AgentId, Wait> {
  const blocking = new Map<AgentId, Wait>();
  if (waitsByBackend(run).every(({ wait }) => isWaitOver(wait, now))) return blocking;
  for (const agent of prompts) {
    const wait = run.waits[chooseBackend(run, agent, now).backend];
    if (wait !== undefined && !isWaitOver(wait, now)) blocking.set(agent.id, wait);
  }
  return blocking;
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
  for (const { until } of blockingWaits(run, promptsOf(due), now).values()) moments.push(until);
  const next = Math.min(...moments);
  return next === Infinity ? null : next;
}

/** Agents whose own wait is over. */
export function dueAgents(run: RunState, now: number): readonly Agent[] {
  return run.agents.filter(
    (agent) => isIdle(agent) && agent.opened === null && dueAt(agent, now) === null,
  );
}

function promptsOf(agents: readonly Agent[]): readonly Agent[] {
  return agents.filter((agent) => stepKind(agent) === "prompt");
}

interface Admitted {
  readonly admitted: readonly Agent[];
  readonly choices: Plan["choices"];
}

function admit(run: RunState, prompts: readonly Agent[], now: number): Admitted {
  const flying = inFlight(run).filter((agent) => agent.activity.kind === "prompt");
  const { maxParallel, budgetMicroUsd } = run.settings;
  const choices = new Map<AgentId, BackendChoice>();
  const admitted: Agent[] = [];
  const isUsedUp = budgetMicroUsd !== null && knownSpend(run) >= budgetMicroUsd;
  const free = isUsedUp ? 0 : Math.max(0, maxParallel - flying.length);
  const inFlightProbes = probedBackends(run);
  const probes = new Set<string>();
  const isProbed = (backend: string) => probes.has(backend) || inFlightProbes(backend);
  for (const agent of prompts) {
    if (admitted.length >= free) break;
    const choice = chooseBackend(run, agent, now, isProbed);
    const wait = run.waits[choice.backend];
    if (wait !== undefined && (!isWaitOver(wait, now) || isProbed(choice.backend))) continue;
    if (wait !== undefined) probes.add(choice.backend);
    choices.set(agent.id, choice);
    admitted.push(agent);
  }
  return { admitted, choices };
}
