import type { Session } from "../core/machine/agent.ts";
import type { BackendFacts } from "../core/machine/backend-facts.ts";
import type { Step } from "../core/machine/step.ts";
import type { Invocation } from "../ports/backend.ts";

/**
 * The conversation in which a backend takes what a step sends. One that cannot
 * go on with a conversation is told all of it again, in a new one
 * (docs/contributing.md, "Add a backend"). A transition never leads farther
 * than the backend can go.
 */
export function sessionWithin(
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
  throw new Error(`${file.name} has a session that the backend ${name} cannot take`);
}

/** A call without what the backend cannot: effort, and a cap. Money is counted and watched all the same. */
export function callWithin(call: Invocation, { can }: BackendFacts): Invocation {
  return {
    ...call,
    effort: can.effort ? call.effort : null,
    maxBudgetMicroUsd: can.budget ? call.maxBudgetMicroUsd : null,
  };
}
