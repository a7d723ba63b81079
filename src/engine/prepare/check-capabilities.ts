import type { StateName } from "../../language/protocol/transition.ts";
import {
  type PromptFile,
  type StateFile,
  stateKind,
} from "../../language/workflow/files/state-file.ts";
import { workflowPathsOf } from "../../language/workflow/policy/policy.ts";
import { type BackendFacts, ENFORCED } from "../../machine/backends/backend-facts.ts";
import { containerProblem } from "../../machine/backends/container-problem.ts";
import { settingsOf, withOwnModels } from "../../machine/backends/own-models.ts";
import { backendErrors, backendProblem } from "../../machine/decide/backend-problem.ts";
import { permissionsOf } from "../../machine/decide/permissions.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import type { Engine } from "../engine.ts";
import { type Backend, isSimulated } from "../ports/backend.ts";
import type { Scope } from "../ports/scope.ts";
import { findWorkflows } from "./find-workflows.ts";

/**
 * Rejects a workflow that requires unsupported features of the coding agents of its states, or names
 * unknown ones, before any cost. Rejects with `workflow/beyond-backend`, `run/no-price`, or the error
 * of {@link Backends.of}.
 */
export async function checkCapabilities(settings: RunSettings, engine: Engine): Promise<void> {
  const { workflows, platform, backends } = engine;
  const scope = workflows.scope(null);
  const declared = await workflows.permissions(null);
  const names = await scope.names();
  for (const name of names.filter((each) => stateKind(each) === "prompt")) {
    const file = await read(name, scope);
    if (file?.kind !== "prompt") continue;
    const { call } = permissionsOf(file, declared, settings);
    for (const backend of backendsOf(file, settings, backends)) {
      const outside = containerProblem(settings, backend);
      const find = () => findWorkflows(workflowPathsOf(file.rules), null, workflows);
      const problem =
        outside !== null || canAll(backend)
          ? outside
          : backendProblem(file, names, platform, call, backend, await find());
      if (problem !== null)
        throw backendErrors["workflow/beyond-backend"](scope.source(name), problem);
      requirePrice(file, settings, backend, backends);
    }
  }
}

/** Other workflows, which are copied to the run, are not resolved without need. */
function canAll({ can }: BackendFacts): boolean {
  const { permissions, container: _, cost: _cost, ...others } = can;
  return ENFORCED.every((one) => permissions.includes(one)) && Object.values(others).every(Boolean);
}

/** All that can answer a prompt. */
function backendsOf(
  file: PromptFile,
  settings: RunSettings,
  backends: Engine["backends"],
): readonly Engine["backends"]["default"][] {
  const { default: usual } = backends;
  if (isSimulated(usual.name)) return [usual];
  const agents = file.agents ?? settings.agents ?? [];
  return agents.length === 0 ? [usual] : agents.map((name) => backends.of(name));
}

/** Without a price, the budget cannot be enforced (docs/budgets.md, "Agents without reported costs"). */
function requirePrice(
  file: PromptFile,
  settings: RunSettings,
  backend: Omit<Backend, "invoke">,
  { default: { name: usual } }: Engine["backends"],
): void {
  const { budgetMicroUsd, allowUnpriced = false } = settings;
  const { name, can } = backend;
  if (allowUnpriced || can.cost === "reported") return;
  if (budgetMicroUsd === null && file.budgetMicroUsd === null) return;
  const run = { settings, backend: usual };
  const model = withOwnModels(file, run, name).model ?? settingsOf(run, name).model;
  if (can.cost === "priced" && backend.hasPrice?.(model) === true) return;
  throw backendErrors["run/no-price"](file.name, name, model);
}

/** Null for an unreadable state: the run reports it if it ever enters that state. */
async function read(name: StateName, scope: Scope): Promise<StateFile | null> {
  try {
    return await scope.load(name);
  } catch {
    return null;
  }
}
