import { ofBackend, waitsByBackend } from "../backends/backend-waits.ts";
import { chooseBackend } from "../backends/choose-backend.ts";
import { isWaitOver } from "../backends/wait-over.ts";
import { isIdle } from "../model/activity.ts";
import type { Agent } from "../model/agent.ts";
import type { AgentWait } from "../model/agent-wait.ts";
import { stepKind } from "../model/gate.ts";
import { inFlight, type RunningAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { isDelayed } from "../moves/delay.ts";
import { questionOf } from "../moves/question.ts";

/**
 * Returns a function for the wait of an agent; null if it works, has failed, or the run must be
 * resumed. Invariant: in a live run every idle agent that `plan` does not start waits for something.
 * `now`: epoch ms.
 */
export function waitsOf(run: RunState, now: number): (agent: Agent) => AgentWait | null {
  const flying = inFlight(run);
  const isLimited = waitsByBackend(run).length > 0;
  const place = waitForPlace(run, flying);
  const steps = waitForSteps(run, flying);
  return (agent) => {
    if (agent.opened !== null) return { kind: "opened", since: agent.opened };
    if (!isIdle(agent)) return null;
    const others = waitForWorkers(agent) ?? waitForAnswer(agent);
    if (others !== null) return others;
    const prompt = stepKind(agent) === "prompt";
    const limit = prompt && isLimited ? waitForLimit(run, agent, flying, now) : null;
    if (limit !== null) return limit;
    if (run.stopReason !== null) {
      const { class: reason, message } = run.stopReason;
      if (reason === "budget") return { kind: "money", message };
      // A resume ends backoffs and keeps delays.
      return isDelayed(agent) ? waitForMoment(agent, now) : null;
    }
    return waitForMoment(agent, now) ?? (prompt ? place : null) ?? steps;
  };
}

function waitForLimit(
  run: RunState,
  agent: Agent,
  flying: readonly RunningAgent[],
  now: number,
): AgentWait | null {
  const { backend } = chooseBackend(run, agent, now);
  const wait = run.waits[backend];
  if (wait === undefined) return null;
  const { until, message } = wait;
  if (!isWaitOver(wait, now)) return { kind: "limit", until, message, ...ofBackend(run, backend) };
  const probe = flying.find(
    ({ activity }) => activity.backend === backend && activity.process > wait.process,
  );
  return probe === undefined ? null : { kind: "probe", agent: probe.id };
}

function waitForWorkers({ activity, forked }: Agent): AgentWait | null {
  if (activity.type !== "waiting" || activity.for.kind !== "join") return null;
  const living = forked.filter(({ end }) => end === null).length;
  return { kind: "join", until: activity.until, living, min: activity.for.min };
}

function waitForAnswer(agent: Agent): AgentWait | null {
  const asked = questionOf(agent);
  if (asked === null) return null;
  const { until, number, question, options } = asked;
  return { kind: "answer", until, number, question, options };
}

function waitForMoment({ activity }: Agent, now: number): AgentWait | null {
  if (activity.type !== "waiting" || activity.until === null || activity.until <= now) return null;
  if (activity.for.kind === "join" || activity.for.kind === "answer") return null;
  return { ...activity.for, until: activity.until };
}

function waitForPlace(
  { settings: { maxParallel } }: RunState,
  flying: readonly RunningAgent[],
): AgentWait | null {
  const running = flying.filter((agent) => agent.activity.kind === "prompt").length;
  return running < maxParallel ? null : { kind: "place", maxParallel };
}

function waitForSteps(
  { settings: { maxSteps }, steps }: RunState,
  flying: readonly RunningAgent[],
): AgentWait | null {
  if (maxSteps === null || steps + flying.length < maxSteps) return null;
  return { kind: "steps", maxSteps };
}
