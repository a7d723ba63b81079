import type { Abilities, BackendFacts } from "../../src/core/machine/backend-facts.ts";

const ALL: Abilities = { branch: true, resume: true, effort: true, budget: true, tools: true };

/** A backend that can do everything, but for what the test is about. */
export function backendFacts(can: Partial<Abilities> = {}): BackendFacts {
  return { name: "plain", can: { ...ALL, ...can } };
}
