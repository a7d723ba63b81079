import type { BackendFacts } from "../../machine/backends/backend-facts.ts";
import type { Step } from "../../machine/decide/step.ts";
import type { Session } from "../../machine/model/agent.ts";
import type { Invocation } from "../ports/backend.ts";

/**
 * The session that the backend can use for a step. A backend without `resume` gets the whole prompt
 * again in a new session (docs/contributing.md, "Add a coding agent"). Transitions are checked
 * beforehand, so that other unsupported sessions are bugs.
 */
export function supportedSession(
  { session, agent, file }: Step,
  { name, can }: BackendFacts,
): Session {
  switch (session.mode) {
    case "fresh":
      return session;
    case "resume":
      if (can.resume) return session;
      if (agent.delivery !== "prompt") return { mode: "fresh", id: session.id };
      break;
    case "branch":
      if (can.branch) return session;
      break;
  }
  throw new Error(`${file.name} requires a session that the backend ${name} does not support`);
}

/**
 * Removes options that the backend does not support: effort and budget. Costs are still counted and
 * limited.
 */
export function supportedCall(call: Invocation, { can }: BackendFacts): Invocation {
  return {
    ...call,
    effort: can.effort ? call.effort : null,
    maxBudgetMicroUsd: can.budget ? call.maxBudgetMicroUsd : null,
  };
}
