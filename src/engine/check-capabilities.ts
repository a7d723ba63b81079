import type { StateName } from "../language/protocol/transition.ts";
import { type StateFile, stateKind } from "../language/workflow/files/state-file.ts";
import { workflowPathsOf } from "../language/workflow/policy/policy.ts";
import type { RunSettings } from "../machine/run-state.ts";
import { ENFORCED } from "../machine/step/backend-facts.ts";
import { permissionsOf } from "../machine/step/permissions.ts";
import { backendErrors, backendProblem } from "../machine/wait/backend-problem.ts";
import { containerProblem } from "../machine/wait/container-problem.ts";
import type { Engine } from "./engine.ts";
import { findWorkflows } from "./find-workflows.ts";
import type { Scope } from "./ports/scope.ts";

/**
 * Rejects a workflow that requires unsupported backend features, before any cost. Rejects with
 * `workflow/beyond-backend`.
 */
export async function checkCapabilities(settings: RunSettings, engine: Engine): Promise<void> {
  const { workflows, platform, backend } = engine;
  const scope = workflows.scope(null);
  const { permissions, container: _, ...others } = backend.can;
  const outside = containerProblem(settings, backend);
  const isComplete = outside === null && ENFORCED.every((one) => permissions.includes(one));
  if (isComplete && Object.values(others).every((can) => can)) return;
  const declared = await workflows.permissions(null);
  const names = await scope.names();
  for (const name of names.filter((each) => stateKind(each) === "prompt")) {
    const file = await read(name, scope);
    if (file?.kind !== "prompt") continue;
    const { call } = permissionsOf(file, declared, settings);
    const found = await findWorkflows(workflowPathsOf(file.rules), null, workflows);
    const problem = outside ?? backendProblem(file, names, platform, call, backend, found);
    if (problem !== null)
      throw backendErrors["workflow/beyond-backend"](scope.source(name), problem);
  }
}

/** Null for an unreadable state: the run reports it if it ever enters that state. */
async function read(name: StateName, scope: Scope): Promise<StateFile | null> {
  try {
    return await scope.load(name);
  } catch {
    return null;
  }
}
