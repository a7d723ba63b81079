import {
  type BackendFacts,
  type Capabilities,
  ENFORCED,
} from "../../src/machine/backends/backend-facts.ts";

const ALL: Capabilities = {
  ...{ branch: true, resume: true, effort: true, budget: true, tools: true },
  ...{ sandbox: true, container: true, mcp: true, cost: "reported" },
  permissions: ENFORCED,
};

/** A backend that can do everything, with changes. */
export function backendFacts(can: Partial<Capabilities> = {}, name = "plain"): BackendFacts {
  return { name, can: { ...ALL, ...can } };
}
