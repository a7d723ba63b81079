import type { AgentId } from "../core/machine/agent.ts";

/** What another process asks of the one that holds a run. */
export type Wish =
  /** That this agent, or all (null), wait no longer for a time. */
  | { readonly agent: AgentId | null }
  /** That it looks for answers, or who has opened a conversation or left it. */
  | { readonly look: "answers" | "openings" }
  /** That it tries again now what waits for a usage limit or an outage. */
  | { readonly retry: "now" }
  /** That it stops: once the steps in flight have ended, or they are interrupted, or killed. */
  | { readonly stop: "after-steps" | "interrupt" | "kill" };
