import { stateKind } from "../workflow/state-file.ts";
import type { Agent, AgentId } from "./agent.ts";
import { knownSpend } from "./known-spend.ts";
import { inFlight } from "./roster.ts";
import type { RunState, StopReason } from "./run-state.ts";
import { budgetReason, limitReason, stepLimitReason } from "./stop.ts";
import { refuseToWait } from "./wait.ts";
import { isOver } from "./wait-end.ts";

/** What there is to do now, derived from the run. */
export interface Plan {
  /** The agents whose step may start. */
  readonly starts: readonly AgentId[];
  /** Epoch ms at which to look again though nothing has happened; null: only when something has. */
  readonly wakeAt: number | null;
  /** Set when nothing can start any more: for want of money or of steps, or where waiting is not wanted. */
  readonly stop: StopReason | null;
}

const NOTHING: Plan = { starts: [], wakeAt: null, stop: null };

/**
 * Which agents step now. Scripts always; prompt steps in the order of
 * readiness, as far as `--max-parallel`, a usage limit and the budget let them.
 * After a usage limit one prompt step goes first, and the others follow once
 * it got through (spec 1.9).
 */
export function plan(run: RunState, now: number, order: readonly AgentId[]): Plan {
  if (run.stopReason !== null || (run.status !== "running" && run.status !== "waiting"))
    return NOTHING;
  const limit = stepLimitReason(run);
  if (limit !== null) return { ...NOTHING, stop: limit };
  const idle = run.agents.filter((agent) => agent.inFlight === null && agent.status !== "failed");
  const due = idle.filter((agent) => agent.notBefore === null || agent.notBefore <= now);
  const scripts = due.filter((agent) => stateKind(agent.state) === "script");
  const prompts = inOrder(
    due.filter((agent) => stateKind(agent.state) === "prompt"),
    order,
  );
  const admitted = admit(run, prompts, now);
  const flying = inFlight(run).length;
  const ready = [...scripts, ...admitted].map(({ id }) => id);
  // Every step in flight may be one of those that --max-steps still allows.
  const stepsLeft = (run.settings.maxSteps ?? Infinity) - run.steps - flying;
  const starts = ready.slice(0, Math.max(0, stepsLeft));
  const blocked = prompts.length > 0 && run.wait !== null && !isOver(run.wait, now);
  const moments = idle.flatMap(({ notBefore }) =>
    notBefore !== null && notBefore > now ? notBefore : [],
  );
  if (blocked) moments.push(run.wait.until);
  const wakeAt = moments.length === 0 ? null : Math.min(...moments);

  const refusal = blocked ? refuseToWait(run, run.wait, run.wait.until - now) : null;
  if (refusal !== null) return { ...NOTHING, stop: limitReason(refusal) };
  const starved = prompts.length > 0 && !blocked && starts.length === 0 && flying === 0;
  return { starts, wakeAt, stop: starved ? budgetReason(run) : null };
}

/** The run as it is called while it has nothing to do but to wait, or while it works. */
export function named(run: RunState, { starts, wakeAt }: Plan): RunState {
  if (run.status !== "running" && run.status !== "waiting") return run;
  const waits = wakeAt !== null && starts.length === 0 && inFlight(run).length === 0;
  const status = waits ? "waiting" : "running";
  return status === run.status ? run : { ...run, status };
}

function inOrder(agents: readonly Agent[], order: readonly AgentId[]): readonly Agent[] {
  const place = new Map(order.map((id, index) => [id, index]));
  const last = order.length;
  return agents.toSorted((a, b) => (place.get(a.id) ?? last) - (place.get(b.id) ?? last));
}

function admit(run: RunState, prompts: readonly Agent[], now: number): readonly Agent[] {
  const flying = inFlight(run).filter((agent) => agent.inFlight?.kind === "prompt");
  const { wait } = run;
  if (wait !== null && !isOver(wait, now)) return [];
  const probing =
    wait !== null && flying.some((agent) => (agent.inFlight?.process ?? 0) > wait.process);
  if (probing) return [];
  const { maxParallel, budgetMicroUsd } = run.settings;
  if (budgetMicroUsd !== null && knownSpend(run) >= budgetMicroUsd) return [];
  const free = Math.max(0, maxParallel - flying.length);
  return prompts.slice(0, wait === null ? free : Math.min(free, 1));
}
