import { fullName } from "../../language/protocol/address.ts";
import { releaseCall } from "../model/abandon-attempt.ts";
import type { Agent } from "../model/agent.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import type { StepOutcome } from "../model/outcome.ts";
import { updateAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { endAgent } from "./close-worktree.ts";
import { stopReason, stopRun } from "./stop.ts";

/** Fails an agent, and stops the run unless it continues with --keep-going. */
export function failAgent(
  run: RunState,
  agent: Agent,
  failure: Failure,
  { exitCode }: Pick<StepOutcome, "exitCode">,
  call: number | null,
): RunUpdate {
  const { id } = agent;
  const { class: kind, message, hint } = failure;
  const state = fullName(agent);
  const event = {
    type: "agent.failed",
    agent: id,
    state,
    class: kind,
    problem: message,
    hint,
  } as const;
  if (agent.reports) {
    const agents = run.agents.filter((other) => other.id !== id);
    const error = { class: kind, message, state };
    const [ended, joined] = endAgent({ ...run, agents }, agent, { ok: false, error });
    return [ended, [event, { type: "agent.ended", agent: id, state, result: null }, ...joined]];
  }
  // Nothing ran: the call number is reused on resume.
  const kept = exitCode === null ? releaseCall(run, state, call) : run;
  const error = { class: kind, message, hint, state };
  const failed = updateAgent(kept, { ...agent, activity: { type: "failed", error } }, event);
  if (run.settings.keepGoing) return failed;
  const [stopped, stopping] = stopRun(failed[0], stopReason(kind, message, agent));
  return [stopped, [event, ...stopping]];
}

/** Enters a state that the workflow names for a case, instead of failing. `next`: the agent there. */
export function divert(
  run: RunState,
  agent: Agent,
  next: Agent,
  by: Extract<Event, { type: "agent.diverted" }>["by"],
  problem: string,
): RunUpdate {
  const event = { agent: agent.id, from: fullName(agent), to: fullName(next), by, problem };
  return updateAgent({ ...run, steps: run.steps + 1 }, next, { type: "agent.diverted", ...event });
}
