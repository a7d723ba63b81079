import { fullName } from "../../language/protocol/address.ts";
import type { Fault } from "../../language/protocol/fault.ts";
import type { Decision } from "../decide/decision.ts";
import { abandonAttempt, releaseCall } from "../model/abandon-attempt.ts";
import { waitFor } from "../model/activity.ts";
import { type Agent, FRESH, withSession } from "../model/agent.ts";
import { distinctCalls, NO_RULING } from "../model/denial.ts";
import type { RunUpdate } from "../model/event.ts";
import { failure } from "../model/failure.ts";
import type { StepOutcome } from "../model/outcome.ts";
import { updateAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { enter } from "../moves/apply-transition.ts";
import { askPermission } from "../moves/ask-permission.ts";
import { divert, failAgent } from "../moves/fail-agent.ts";
import { agentLimitProblem, callDepthProblem, move } from "../moves/move.ts";
import { BRANCH_HINT, branchProblem } from "../moves/new-worktree.ts";
import { stopReason, stopRun } from "../moves/stop.ts";
import { waitForLimit, waitForOutage } from "../waits/wait.ts";
import { passGate, rejectByGate } from "./pass-gate.ts";

/**
 * `dice`: jitter of retries in [0, 1). `call`: the call of the state; null for scripts. `backend`: the
 * coding agent of the step.
 */
export interface StepContext {
  readonly at: number;
  readonly dice: number;
  readonly process: number;
  readonly call: number | null;
  readonly backend: string;
}

export function applyDecision(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  decision: Decision,
  context: StepContext,
): RunUpdate {
  const { call } = context;
  const continued = withSession(agent, outcome.session);
  const abandoned = abandonAttempt(agent, outcome.session);
  const state = fullName(agent);
  switch (decision.kind) {
    case "move":
      return moveOn(run, agent, outcome, decision, context);
    case "verify":
      return updateAgent(run, { ...continued, gate: decision.gate, outage: null });
    case "pass": {
      const { next, move: passed } = passGate(agent);
      return passed === null ? updateAgent(run, next) : moveOn(run, next, outcome, passed, context);
    }
    case "send-back":
      return rejectByGate(run, agent, decision, outcome, call);
    case "remind":
      return remind(run, continued, decision.fault);
    case "ask-permission":
      return askPermission(run, continued, decision.calls, context);
    case "continue": {
      const { problem } = decision;
      const capped = { ...continued, delivery: "capped", outage: null } as const;
      return updateAgent(run, capped, { type: "agent.continued", agent: agent.id, state, problem });
    }
    case "retry":
      return retry(run, abandoned, decision, context);
    case "divert": {
      const { target, problem } = decision;
      return divert(run, agent, enter(agent, target, agent.session, problem), "on_error", problem);
    }
    case "hand-over":
      return handOver(run, agent, decision, call);
    case "halt":
      return stopRun(
        rollBackStart(run, agent, call)[0],
        stopReason(decision.class, decision.problem, agent),
      );
    case "again":
      return updateAgent(run, abandonAttempt(agent, null));
    case "reenter": {
      const { delivery: last } = agent;
      const delivery = last === "interrupted" || last === "capped" ? "prompt" : last;
      return updateAgent(run, { ...agent, session: agent.entered, delivery });
    }
    case "forget":
      return updateAgent(run, { ...agent, session: FRESH, entered: FRESH, delivery: "prompt" });
    case "limit":
      return waitForLimit(run, abandoned, decision, context);
    case "cancelled":
      return updateAgent(releaseCall(run, state, call), abandoned);
    case "fail":
      return failAgent(run, failing(agent, outcome, decision), decision.failure, outcome, call);
  }
}

/** After denied tool calls a resume continues the conversation. */
function failing(
  agent: Agent,
  outcome: StepOutcome,
  { failure: { class: kind } }: Extract<Decision, { kind: "fail" }>,
): Agent {
  if (kind !== "denied" || outcome.kind !== "output") return agent;
  const ruling = { ...(agent.ruling ?? NO_RULING), calls: distinctCalls(outcome.denials) };
  return { ...withSession(agent, outcome.session), ruling };
}

function remind(run: RunState, agent: Agent, fault: Fault): RunUpdate {
  const reminders = agent.reminders + 1;
  const reminded: Agent = { ...agent, reminders, fault, delivery: "reminder", outage: null };
  const event = { agent: agent.id, state: fullName(agent), reminder: reminders };
  return updateAgent(run, reminded, { type: "agent.reminded", ...event, problem: fault.message });
}

/** Enters the `on_context` state in the same conversation, with the pending payload. */
function handOver(
  run: RunState,
  agent: Agent,
  { target, problem }: Extract<Decision, { kind: "hand-over" }>,
  call: number | null,
): RunUpdate {
  const { state, pendingResult } = agent;
  // A refused state is not visited, even after earlier starts.
  const [back, unstarted] = rollBackStart(run, { ...agent, starts: 1 }, call);
  const next = { ...enter(unstarted, target, unstarted.session, pendingResult), wanted: state };
  return divert(back, agent, next, "on_context", problem);
}

/** Start, visit and call of a step that did not start are not counted. */
function rollBackStart(
  run: RunState,
  agent: Agent,
  call: number | null,
): readonly [RunState, Agent] {
  const { starts } = agent;
  const state = fullName(agent);
  // A resume may have reset the count while agents are in the state.
  const visits = Math.max(0, (run.visits[state] ?? 0) - (starts === 1 ? 1 : 0));
  const unstarted: Agent = { ...abandonAttempt(agent, null), starts: starts - 1 };
  const [back] = updateAgent(releaseCall(run, state, call), unstarted);
  return [{ ...back, visits: { ...run.visits, [state]: visits } }, unstarted];
}

/** Backoff after the first, second and third crash, ms. */
const BACKOFF_MS = [1_000, 3_000, 9_000] as const;

function retry(
  run: RunState,
  agent: Agent,
  decision: Extract<Decision, { kind: "retry" }>,
  context: StepContext,
): RunUpdate {
  const { at, dice } = context;
  const { failure: cause, delayMs: configured } = decision;
  if (cause.class === "outage") return waitForOutage(run, agent, decision, context);
  const retries = agent.retries + 1;
  const base = BACKOFF_MS[agent.retries] ?? BACKOFF_MS[2];
  const delayMs = configured ?? Math.round(base * (0.75 + dice / 2));
  const activity = waitFor(delayMs, at, { kind: "retry", class: "crash", tries: retries });
  const waiting = { agent: agent.id, state: fullName(agent), retry: retries, delayMs };
  return updateAgent(
    run,
    { ...agent, retries, activity },
    { type: "agent.retrying", class: "crash", problem: cause.message, ...waiting },
  );
}

/** Moves the agent, unless a limit of agents or nested calls is exceeded. */
function moveOn(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  decision: Extract<Decision, { kind: "move" }>,
  context: StepContext,
): RunUpdate {
  const tooMany = agentLimitProblem(run, agent, decision);
  const sameBranch = branchProblem(run, decision.transitions);
  const problem = tooMany ?? sameBranch ?? callDepthProblem(agent, decision);
  if (problem === null) return move(run, withSession(agent, outcome.session), decision, context);
  const hint =
    tooMany !== null
      ? "Start fewer agents at a time, or raise --max-agents."
      : sameBranch !== null
        ? BRANCH_HINT
        : "End the recursion. For an endless loop use <reset-workflow>.";
  return failAgent(run, agent, failure("deterministic", problem, hint), outcome, context.call);
}
