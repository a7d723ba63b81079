import type { Agent } from "./agent.ts";
import { enter } from "./apply-transition.ts";
import { countAttempt } from "./count-attempt.ts";
import { cut, giveBack } from "./cut.ts";
import type { RunSettings, RunState } from "./run-state.ts";

/**
 * The run as it goes on after a crash or a stop (spec 3, Resume). A step in
 * flight whose prompt was accepted is continued in its session; any other is
 * done again from its beginning. Failed agents enter their state anew, with
 * the session mode with which they entered it. Settings that are given replace
 * the run's. Nothing else is forgotten: a usage limit is still waited for.
 */
export function recover(run: RunState, given: Partial<RunSettings>): RunState {
  const flying = run.agents.flatMap(({ state, inFlight }) =>
    inFlight === null ? [] : [{ state, reply: inFlight.reply }],
  );
  const latestFirst = flying.toSorted((a, b) => (b.reply ?? 0) - (a.reply ?? 0));
  const paid = run.agents.reduce(countLost, run);
  const heard = latestFirst.reduce((now, { state, reply }) => giveBack(now, state, reply), paid);
  const limited = run.stopReason?.class === "step-limit" ? run.stopReason.state : null;
  return {
    ...heard,
    // A stop at max_visits grants as many again.
    visits: limited === null ? run.visits : { ...run.visits, [limited]: 0 },
    status: "running",
    stopReason: null,
    settings: { ...run.settings, ...given },
    agents: run.agents.map(revive),
  };
}

/** What a client had used when it died with raymond is in no later total: it is estimated. */
function countLost(run: RunState, agent: Agent): RunState {
  const spend = agent.inFlight?.spend ?? null;
  return spend === null ? run : countAttempt(run, agent, spend, 0)[0];
}

function revive(agent: Agent): Agent {
  const ready: Agent = { ...agent, status: "ready", notBefore: null, outage: null, elapsedMs: 0 };
  if (agent.status === "failed") {
    const { starts, pendingResult } = agent;
    return { ...enter(ready, agent.state, agent.entered), starts, pendingResult };
  }
  if (agent.inFlight === null) return ready;
  const { kind, accepted } = agent.inFlight;
  const used = kind === "prompt" && accepted ? agent.session.id : null;
  return { ...(kind === "prompt" ? cut(ready, used) : ready), inFlight: null };
}
