import { fullName } from "../protocol/address.ts";
import { abandonAttempt, giveBack } from "./abandon-attempt.ts";
import { isRetrying, READY, runningOf } from "./activity.ts";
import type { Agent, AgentId } from "./agent.ts";
import { enter } from "./apply-transition.ts";
import { countAttempt } from "./count-attempt.ts";
import { hasTaken, type Recollection, usedBy } from "./recollection.ts";
import { findAgent, replaceAgent } from "./roster.ts";
import type { RunSettings, RunState } from "./run-state.ts";

/**
 * The run as it goes on after a crash or a stop (docs/durability.md, "How it
 * works"). A step in flight whose prompt was accepted is continued in its
 * session; any other is done again from its beginning. Failed agents enter their
 * state anew, with the session mode with which they entered it. Settings that
 * are given replace the run's. Nothing else is forgotten: a usage limit is still
 * waited for.
 *
 * `recalled` is what the conversations of steps in flight tell. A step whose
 * answer is there stays in flight: it ends as any other does (`advance`).
 */
export function recover(
  run: RunState,
  given: Partial<RunSettings>,
  recalled: ReadonlyMap<AgentId, Recollection> = new Map(),
): RunState {
  const answered = (agent: Agent) => (recalled.get(agent.id)?.answer ?? null) !== null;
  const broken = run.agents.filter((agent) => !answered(agent));
  const flying = broken.flatMap((agent) => {
    const running = runningOf(agent);
    return running === null ? [] : { state: fullName(agent), call: running.call };
  });
  const latestFirst = flying.toSorted((a, b) => (b.call ?? 0) - (a.call ?? 0));
  const paid = broken.reduce((now, agent) => countLost(now, agent, recalled.get(agent.id)), run);
  const heard = latestFirst.reduce((now, { state, call }) => giveBack(now, state, call), paid);
  const limited = run.stopReason?.class === "step-limit" ? run.stopReason.state : null;
  return {
    ...heard,
    // A stop at max_visits grants as many again.
    visits: limited === null ? run.visits : { ...run.visits, [limited]: 0 },
    status: "running",
    stopReason: null,
    settings: { ...run.settings, ...given },
    agents: heard.agents.map((agent) =>
      answered(agent) ? agent : revive(agent, recalled.get(agent.id)),
    ),
  };
}

/** What a client has used whose end raymond did not see: as far as no total holds it, it is estimated. */
function countLost(run: RunState, agent: Agent, recollection: Recollection | undefined): RunState {
  const running = runningOf(agent);
  const spend = running === null ? null : usedBy(running, recollection);
  return spend === null ? run : countAttempt(run, agent, spend, 0)[0];
}

/** The run without the step of an agent that was in flight when raymond died: it is ready, and goes on as after a resume. */
export function breakOff(
  run: RunState,
  agent: Agent,
  recollection: Recollection | undefined,
): RunState {
  const running = runningOf(agent);
  if (running === null) return run;
  const paid = countLost(run, agent, recollection);
  const heard = giveBack(paid, fullName(agent), running.call);
  return replaceAgent(heard, revive(findAgent(heard, agent.id), recollection));
}

/** An agent as it goes on, with what its conversation tells of a step that was in flight. */
export function revive(agent: Agent, recollection?: Recollection): Agent {
  const { activity, state, entered, starts, pendingResult, gate, wanted } = agent;
  const ready: Agent = { ...agent, activity: READY, outage: null, elapsedMs: 0 };
  switch (activity.type) {
    case "ready":
      return ready;
    case "waiting":
      return isRetrying(agent) ? ready : { ...ready, activity };
    case "running": {
      if (activity.kind === "script") return ready;
      return abandonAttempt(ready, hasTaken(activity, recollection) ? agent.session.id : null);
    }
    case "failed":
      // A gate that could not run is tried again: what it has to judge is there.
      if (gate !== null) return ready;
      return { ...enter(ready, state, entered), starts, pendingResult, wanted };
  }
}
