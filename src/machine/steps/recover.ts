import { fullName } from "../../language/protocol/address.ts";
import { abandonAttempt, releaseCall } from "../model/abandon-attempt.ts";
import { isRetrying, READY, runningOf } from "../model/activity.ts";
import type { Agent, AgentId } from "../model/agent.ts";
import {
  hasAcceptedPrompt,
  type RecoveredSession,
  recoveredSpend,
} from "../model/recovered-session.ts";
import { findAgent, replaceAgent } from "../model/roster.ts";
import type { RunSettings, RunState } from "../model/run-state.ts";
import { NO_SPEND } from "../model/spend.ts";
import { enter } from "../moves/apply-transition.ts";
import { countAttempt } from "../spend/count-attempt.ts";

/**
 * Prepares a run to resume after a crash or stop (docs/durability.md, "How it works"). A step in
 * flight continues in its session if its prompt was accepted, otherwise it starts again. Failed agents
 * restart their state in the session with which they entered it. `given` overrides settings. Waits for
 * usage limits are kept.
 *
 * `recalled`: the recovered sessions of steps in flight. A step whose answer is there stays in flight
 * and ends normally.
 */
export function recover(
  run: RunState,
  given: Partial<RunSettings>,
  recalled: ReadonlyMap<AgentId, RecoveredSession> = new Map(),
): RunState {
  const answered = (agent: Agent) => (recalled.get(agent.id)?.answer ?? null) !== null;
  const broken = run.agents.filter((agent) => !answered(agent));
  const flying = broken.flatMap((agent) => {
    const running = runningOf(agent);
    return running === null ? [] : { state: fullName(agent), call: running.call };
  });
  const latestFirst = flying.toSorted((a, b) => (b.call ?? 0) - (a.call ?? 0));
  const paid = broken.reduce((now, agent) => countLost(now, agent, recalled.get(agent.id)), run);
  const released = latestFirst.reduce(
    (now, { state, call }) => releaseCall(now, state, call),
    paid,
  );
  const limited = run.stopReason?.class === "step-limit" ? run.stopReason.state : null;
  return {
    ...released,
    // Resuming after max_visits resets the count.
    visits: limited === null ? run.visits : { ...run.visits, [limited]: 0 },
    status: "running",
    stopReason: null,
    settings: { ...run.settings, ...given },
    agents: released.agents.map((agent) =>
      answered(agent) ? agent : resumeAgent(agent, recalled.get(agent.id)),
    ),
  };
}

/**
 * Charges the usage of a step that died with raymond. An accepted prompt is an attempt, also if nothing
 * is known about its usage.
 */
function countLost(
  run: RunState,
  agent: Agent,
  recollection: RecoveredSession | undefined,
): RunState {
  const running = runningOf(agent);
  if (running?.kind !== "prompt") return run;
  const unknown = hasAcceptedPrompt(running, recollection) ? NO_SPEND : null;
  const spend = recoveredSpend(running, recollection) ?? unknown;
  return spend === null ? run : countAttempt(run, agent, spend, 0)[0];
}

/** Recovers one agent whose step was in flight when raymond died. */
export function recoverStep(
  run: RunState,
  agent: Agent,
  recollection: RecoveredSession | undefined,
): RunState {
  const running = runningOf(agent);
  if (running === null) return run;
  const paid = countLost(run, agent, recollection);
  const released = releaseCall(paid, fullName(agent), running.call);
  return replaceAgent(released, resumeAgent(findAgent(released, agent.id), recollection));
}

/**
 * The run without any acceptance of prompts by clients: each step in flight starts again. For a
 * worker that does not have the conversations.
 */
export function forgetAcceptedPrompts(run: RunState): RunState {
  const agents = run.agents.map((agent) => {
    const running = runningOf(agent);
    if (running === null) return agent;
    return { ...agent, activity: { ...running, accepted: false, conversationBytes: null } };
  });
  return { ...run, agents };
}

export function resumeAgent(agent: Agent, recollection?: RecoveredSession): Agent {
  const { activity, state, entered, starts, pendingResult, gate, wanted, setResult } = agent;
  const ready: Agent = { ...agent, activity: READY, outage: null, elapsedMs: 0 };
  switch (activity.type) {
    case "ready":
      return ready;
    case "waiting":
      return isRetrying(agent) ? ready : { ...ready, activity };
    case "running": {
      if (activity.kind === "script") return ready;
      const accepted = hasAcceptedPrompt(activity, recollection);
      return abandonAttempt(ready, accepted ? agent.session.id : null);
    }
    case "failed":
      if (activity.error.class === "denied") return { ...ready, delivery: "denied" };
      // A gate that could not run is retried with the same output.
      if (gate !== null) return ready;
      return { ...enter(ready, state, entered), starts, pendingResult, wanted, setResult };
  }
}
