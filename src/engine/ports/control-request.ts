import type { Actor } from "../../machine/model/actor.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { ControlAction } from "../../machine/model/event.ts";
import type { ResultByHand } from "../../machine/moves/set-result.ts";

/** A request to the process that owns a run. */
export type ControlRequest = {
  readonly actor?: Actor | undefined;
} /** End the delay of this agent, or of all agents (null). */ & (
  | { readonly agent: AgentId | null }
  /** Check for answers, or for manual sessions that started or ended. */
  | { readonly look: "answers" | "openings" }
  /** Retry agents that wait for a usage limit or an outage. */
  | { readonly retry: "now" }
  /** End the step of an agent with a result. */
  | { readonly set: ResultByHand }
  /** Stop: after the steps in flight, or by interrupting or killing them. */
  | { readonly stop: "after-steps" | "interrupt" | "kill" }
);

/** A request for the event log: who controlled the run, and how. */
export interface Controlled {
  readonly action: ControlAction;
  readonly target: AgentId | null;
  readonly actor: Actor;
}

/** Null for requests with an event of their own, and without an actor. */
export function controlledBy(request: ControlRequest): Controlled | null {
  const { actor } = request;
  if (actor === undefined) return null;
  if ("agent" in request) return { action: "retry", target: request.agent, actor };
  if ("retry" in request) return { action: "retry", target: null, actor };
  if (!("stop" in request)) return null;
  const action = request.stop === "after-steps" ? "stop-after-steps" : "stop";
  return { action, target: null, actor };
}
