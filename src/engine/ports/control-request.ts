import type { AgentId } from "../../machine/agent.ts";

/** A request to the process that owns a run. */
export type ControlRequest =
  /** End the delay of this agent, or of all agents (null). */
  | { readonly agent: AgentId | null }
  /** Check for answers, or for manual sessions that started or ended. */
  | { readonly look: "answers" | "openings" }
  /** Retry agents that wait for a usage limit or an outage. */
  | { readonly retry: "now" }
  /** Stop: after the steps in flight, or by interrupting or killing them. */
  | { readonly stop: "after-steps" | "interrupt" | "kill" };
