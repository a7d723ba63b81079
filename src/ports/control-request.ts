import type { AgentId } from "../core/machine/agent.ts";

/** What another process asks of the one that drives a run. */
export type ControlRequest =
  /** End the delay of this agent, or of all agents (null). */
  | { readonly agent: AgentId | null }
  /** Check for answers, or for manual sessions that start or end. */
  | { readonly look: "answers" | "openings" }
  /** Retry now what waits for a usage limit or an outage. */
  | { readonly retry: "now" }
  /** Stop: after the steps in flight, or by interrupting or killing them. */
  | { readonly stop: "after-steps" | "interrupt" | "kill" };
