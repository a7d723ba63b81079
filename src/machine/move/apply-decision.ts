import { fullName } from "../../language/protocol/address.ts";
import { waitFor } from "../activity.ts";
import { type Agent, FRESH, withSession } from "../agent.ts";
import type { Event, RunUpdate } from "../event.ts";
import type { RunState } from "../run-state.ts";
import { abandonAttempt, releaseCall } from "../step/abandon-attempt.ts";
import type { Decision } from "../step/decision.ts";
import { type Failure, failure } from "../step/failure.ts";
import type { StepOutcome } from "../step/outcome.ts";
import { passGate, rejectByGate } from "../step/pass-gate.ts";
import { stopReason, stopRun } from "../stop.ts";
import { waitForLimit, waitForOutage } from "../wait/wait.ts";
import { enter } from "./apply-transition.ts";
import { reportEnd } from "./join.ts";
import { agentLimitProblem, callDepthProblem, move } from "./move.ts";
import { replaceAgent } from "./roster.ts";

/** `dice`: jitter of retries in [0, 1). `call`: the call of the state; null for scripts. */
export interface StepContext {
  readonly at: number;
  readonly dice: number;
  readonly process: number;
  readonly call: number | null;
}

export function applyDecision(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  decision: Decision,
  moment: StepContext,
): RunUpdate {
  const { at, dice, call } = moment;
  const { id } = agent;
  const state = fullName(agent);
  switch (decision.kind) {
    case "move":
      return moveOn(run, agent, outcome, decision, moment);
    case "verify": {
      const waiting = { ...withSession(agent, outcome.session), gate: decision.gate, outage: null };
      return [replaceAgent(run, waiting), []];
    }
    case "pass": {
      const { next, move: passed } = passGate(agent);
      if (passed === null) return [replaceAgent(run, next), []];
      return moveOn(run, next, outcome, passed, moment);
    }
    case "send-back": {
      const sent = rejectByGate(run, agent, decision);
      if ("failure" in sent) {
        const fail = { kind: "fail", failure: sent.failure } as const;
        return applyDecision(run, { ...agent, gate: null }, outcome, fail, moment);
      }
      return sent.advanced;
    }
    case "remind": {
      const reminder = agent.reminders + 1;
      const { fault } = decision;
      const reminded: Agent = {
        ...withSession(agent, outcome.session),
        reminders: reminder,
        fault,
        delivery: "reminder",
        outage: null,
      };
      const told: Event = {
        type: "agent.reminded",
        agent: id,
        state,
        reminder,
        problem: fault.message,
      };
      return [replaceAgent(run, reminded), [told]];
    }
    case "continue": {
      const { problem } = decision;
      const capped: Agent = {
        ...withSession(agent, outcome.session),
        delivery: "capped",
        outage: null,
      };
      return [replaceAgent(run, capped), [{ type: "agent.continued", agent: id, state, problem }]];
    }
    case "retry":
      return decision.failure.class === "outage"
        ? waitForOutage(run, abandonAttempt(agent, outcome.session), decision, at, dice)
        : retry(run, abandonAttempt(agent, outcome.session), decision, at, dice);
    case "divert": {
      const { target, problem } = decision;
      const next = enter(agent, target, agent.session, problem);
      const told: Event = {
        type: "agent.diverted",
        agent: id,
        from: state,
        to: fullName(next),
        by: "on_error",
        problem,
      };
      return [replaceAgent({ ...run, steps: run.steps + 1 }, next), [told]];
    }
    case "hand-over":
      return handOver(run, agent, decision, call);
    case "halt":
      return halt(run, agent, decision, call);
    case "again":
      return [replaceAgent(run, abandonAttempt(agent, null)), []];
    case "reenter": {
      const { delivery: last } = agent;
      const delivery = last === "reminder" || last === "gate" ? last : "prompt";
      return [replaceAgent(run, { ...agent, session: agent.entered, delivery }), []];
    }
    case "forget":
      return [
        replaceAgent(run, { ...agent, session: FRESH, entered: FRESH, delivery: "prompt" }),
        [],
      ];
    case "limit":
      return waitForLimit(run, abandonAttempt(agent, outcome.session), decision, moment);
    case "cancelled":
      return [
        releaseCall(replaceAgent(run, abandonAttempt(agent, outcome.session)), state, call),
        [],
      ];
    case "fail": {
      const { class: kind, message, hint } = decision.failure;
      if (agent.reports) return endFailed(run, agent, decision.failure);
      const error = { class: kind, message, hint, state };
      // Nothing ran: the call number is reused on resume.
      const kept = outcome.exitCode === null ? releaseCall(run, state, call) : run;
      const failed = replaceAgent(kept, { ...agent, activity: { type: "failed", error } });
      const told: Event = {
        type: "agent.failed",
        agent: id,
        state,
        class: kind,
        problem: message,
        hint,
      };
      if (run.settings.keepGoing) return [failed, [told]];
      const [stopped, stopping] = stopRun(failed, stopReason(kind, message, agent));
      return [stopped, [told, ...stopping]];
    }
  }
}

/** A worker with `on_error="report"` ends with its failure. */
function endFailed(
  run: RunState,
  agent: Agent,
  { class: kind, message, hint }: Failure,
): RunUpdate {
  const { id } = agent;
  const state = fullName(agent);
  const agents = run.agents.filter((other) => other.id !== id);
  const [ended, joined] = reportEnd({ ...run, agents }, id, {
    ok: false,
    error: { class: kind, message, state },
  });
  const told: readonly Event[] = [
    { type: "agent.failed", agent: id, state, class: kind, problem: message, hint },
    { type: "agent.ended", agent: id, state, result: null },
  ];
  return [ended, [...told, ...joined]];
}

/** The step did not start: start, visit and call are not counted. */
function halt(
  run: RunState,
  agent: Agent,
  decision: Extract<Decision, { kind: "halt" }>,
  call: number | null,
): RunUpdate {
  const reason = stopReason(decision.class, decision.problem, agent);
  return stopRun(rollBackStart(run, agent, call)[0], reason);
}

/** Enters the `on_context` state in the same conversation, with the pending payload. */
function handOver(
  run: RunState,
  agent: Agent,
  { target, problem }: Extract<Decision, { kind: "hand-over" }>,
  call: number | null,
): RunUpdate {
  const { id, state, pendingResult } = agent;
  // A refused state is not visited, even after earlier starts.
  const [back, unstarted] = rollBackStart(run, { ...agent, starts: 1 }, call);
  const next = { ...enter(unstarted, target, unstarted.session, pendingResult), wanted: state };
  const told: Event = {
    type: "agent.diverted",
    agent: id,
    from: fullName(agent),
    to: fullName(next),
    by: "on_context",
    problem,
  };
  return [replaceAgent({ ...back, steps: back.steps + 1 }, next), [told]];
}

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
  const back = releaseCall(replaceAgent(run, unstarted), state, call);
  return [{ ...back, visits: { ...run.visits, [state]: visits } }, unstarted];
}

/** Backoff after the first, second and third crash, ms. */
const BACKOFF_MS = [1_000, 3_000, 9_000] as const;

function retry(
  run: RunState,
  agent: Agent,
  { failure: { message }, delayMs: configured }: Extract<Decision, { kind: "retry" }>,
  at: number,
  dice: number,
): RunUpdate {
  const retries = agent.retries + 1;
  const base = BACKOFF_MS[agent.retries] ?? BACKOFF_MS[2];
  const delayMs = configured ?? Math.round(base * (0.75 + dice / 2));
  const waiting: Agent = {
    ...agent,
    retries,
    activity: waitFor(delayMs, at, { kind: "retry", class: "crash", tries: retries }),
  };
  const { id } = agent;
  const told: Event = {
    type: "agent.retrying",
    agent: id,
    state: fullName(agent),
    class: "crash",
    problem: message,
    retry: retries,
    delayMs,
  };
  return [replaceAgent(run, waiting), [told]];
}

/** Moves the agent, unless a limit of agents or nested calls is exceeded. */
function moveOn(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  decision: Extract<Decision, { kind: "move" }>,
  moment: StepContext,
): RunUpdate {
  const tooMany = agentLimitProblem(run, agent, decision);
  const problem = tooMany ?? callDepthProblem(agent, decision);
  if (problem === null) return move(run, withSession(agent, outcome.session), decision, moment);
  const hint =
    tooMany === null
      ? "End the recursion. For an endless loop use <reset-workflow>."
      : "Start fewer agents at a time, or raise --max-agents.";
  const why = failure("deterministic", problem, hint);
  return applyDecision(run, agent, outcome, { kind: "fail", failure: why }, moment);
}
