import { fullName } from "../protocol/address.ts";
import { abandonAttempt, giveBack } from "./abandon-attempt.ts";
import { waitFor } from "./activity.ts";
import { type Agent, FRESH, hold } from "./agent.ts";
import { enter } from "./apply-transition.ts";
import type { Decision } from "./decision.ts";
import type { Advanced, Event } from "./event.ts";
import { type Failure, failure } from "./failure.ts";
import { reportEnd } from "./join.ts";
import { crowdProblem, depthProblem, move } from "./move.ts";
import type { StepOutcome } from "./outcome.ts";
import { passGate, sendBack } from "./pass-gate.ts";
import { replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";
import { stopReason, stopRun } from "./stop.ts";
import { waitForLimit, waitOutOutage } from "./wait.ts";

/** When a step ended, what chance has to do with it, and which call of its state it was. */
export interface Moment {
  readonly at: number;
  readonly dice: number;
  readonly process: number;
  readonly call: number | null;
}

/** What a decision means for the run: the agent moves, tries again, waits or fails. */
export function applyDecision(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  decision: Decision,
  moment: Moment,
): Advanced {
  const { at, dice, call } = moment;
  const { id } = agent;
  const state = fullName(agent);
  switch (decision.kind) {
    case "move":
      return moveOn(run, agent, outcome, decision, moment);
    case "verify": {
      const waiting = { ...hold(agent, outcome.session), gate: decision.gate, outage: null };
      return [replaceAgent(run, waiting), []];
    }
    case "pass": {
      const { next, move: passed } = passGate(agent);
      if (passed === null) return [replaceAgent(run, next), []];
      return moveOn(run, next, outcome, passed, moment);
    }
    case "send-back": {
      const sent = sendBack(run, agent, decision);
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
        ...hold(agent, outcome.session),
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
      const capped: Agent = { ...hold(agent, outcome.session), delivery: "capped", outage: null };
      return [replaceAgent(run, capped), [{ type: "agent.continued", agent: id, state, problem }]];
    }
    case "retry":
      return decision.failure.class === "outage"
        ? waitOutOutage(run, abandonAttempt(agent, outcome.session), decision, at, dice)
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
      return [giveBack(replaceAgent(run, abandonAttempt(agent, outcome.session)), state, call), []];
    case "fail": {
      const { class: kind, message, hint } = decision.failure;
      if (agent.reports) return endFailed(run, agent, decision.failure);
      const error = { class: kind, message, hint, state };
      // Nothing ran: the call is made again on resume, by the same number.
      const kept = outcome.exitCode === null ? giveBack(run, state, call) : run;
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

/** A worker whose failure is its parent's to judge ends with it, and the run goes on. */
function endFailed(run: RunState, agent: Agent, { class: kind, message, hint }: Failure): Advanced {
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

/** The step did not begin: neither its start nor its visit counts, and no call was heard. */
function halt(
  run: RunState,
  agent: Agent,
  decision: Extract<Decision, { kind: "halt" }>,
  call: number | null,
): Advanced {
  const reason = stopReason(decision.class, decision.problem, agent);
  return stopRun(unstart(run, agent, call)[0], reason);
}

/** It goes to the other state in the conversation that it has, with the payload that was meant. */
function handOver(
  run: RunState,
  agent: Agent,
  { target, problem }: Extract<Decision, { kind: "hand-over" }>,
  call: number | null,
): Advanced {
  const { id, state, pendingResult } = agent;
  // Refused is not visited, however often raymond died before it could say so.
  const [back, unstarted] = unstart(run, { ...agent, starts: 1 }, call);
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

function unstart(run: RunState, agent: Agent, call: number | null): readonly [RunState, Agent] {
  const { starts } = agent;
  const state = fullName(agent);
  // A resume that grants more visits begins at none, beside agents that are in the state.
  const visits = Math.max(0, (run.visits[state] ?? 0) - (starts === 1 ? 1 : 0));
  const unstarted: Agent = { ...abandonAttempt(agent, null), starts: starts - 1 };
  const back = giveBack(replaceAgent(run, unstarted), state, call);
  return [{ ...back, visits: { ...run.visits, [state]: visits } }, unstarted];
}

/** Back-off after the first, second and third crash, ms. */
const BACKOFF_MS = [1_000, 3_000, 9_000] as const;

function retry(
  run: RunState,
  agent: Agent,
  { failure: { message }, delayMs: wanted }: Extract<Decision, { kind: "retry" }>,
  at: number,
  dice: number,
): Advanced {
  const retries = agent.retries + 1;
  const base = BACKOFF_MS[agent.retries] ?? BACKOFF_MS[2];
  const delayMs = wanted ?? Math.round(base * (0.75 + dice / 2));
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

/** The agent moves, unless what it wants to start does not fit beside those that live. */
function moveOn(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  decision: Extract<Decision, { kind: "move" }>,
  moment: Moment,
): Advanced {
  const crowd = crowdProblem(run, agent, decision);
  const problem = crowd ?? depthProblem(agent, decision);
  if (problem === null) return move(run, hold(agent, outcome.session), decision, moment);
  const hint =
    crowd === null
      ? "A workflow that calls itself needs an end; one that is to go on for ever does so by <reset-workflow>."
      : "Start fewer at a time, or allow more with --max-agents.";
  const why = failure("deterministic", problem, hint);
  return applyDecision(run, agent, outcome, { kind: "fail", failure: why }, moment);
}
