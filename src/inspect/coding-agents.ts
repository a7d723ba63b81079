import { isSimulated } from "../engine/ports/backend.ts";
import { DEFAULT_AGENT } from "../language/basics/default-agent.ts";
import type { Conversation } from "../log/event-history.ts";
import { runningOf } from "../machine/model/activity.ts";
import type { Agent } from "../machine/model/agent.ts";
import type { RunState } from "../machine/model/run-state.ts";

type RunAgents = Pick<RunState, "backend" | "candidates" | "owners" | "waits">;

/** The coding agents of a run, its default agent first; empty if that is the usual one alone, or simulated. */
export function codingAgentsOf(run: RunAgents): readonly string[] {
  const { backend, candidates, owners, waits } = run;
  if (isSimulated(backend)) return [];
  const others = [
    ...Object.values(candidates).flat(),
    ...Object.values(owners),
    ...Object.keys(waits),
  ];
  const all = [...new Set([backend, ...others])];
  return all.length === 1 && backend === DEFAULT_AGENT ? [] : all;
}

/** The coding agent of the prompt in progress; null for a script, and in a run with the usual one alone. */
export function codingAgentOf({ activity }: Agent, run: RunAgents): string | null {
  if (activity.type !== "running") return null;
  return codingAgentsOf(run).length === 0 ? null : activity.backend;
}

export function ownerOfConversation(
  { backend }: Pick<Conversation, "backend">,
  run: Pick<RunState, "backend">,
): string {
  return backend ?? run.backend;
}

/** The coding agent of the step in progress, else of the last conversation; null: neither. */
export function shownAgent(
  living: Agent | null,
  conversation: Conversation | null,
  run: Pick<RunState, "backend">,
): string | null {
  const running = living === null ? null : runningOf(living);
  if (running?.kind === "prompt") return running.backend;
  return conversation === null ? null : ownerOfConversation(conversation, run);
}
