import { backendProblem } from "../core/machine/backend-problem.ts";
import { BeyondBackendError } from "../core/machine/errors.ts";
import type { RunSettings } from "../core/machine/run-state.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { ruledPaths } from "../core/workflow/policy.ts";
import { type StateFile, stateKind } from "../core/workflow/state-file.ts";
import type { Scope } from "../ports/scope.ts";
import type { Engine } from "./engine.ts";
import { findWorkflows } from "./find-workflows.ts";

/**
 * Refuses a workflow that declares what the backend cannot do, before anything
 * is paid. Rejects with {@link BeyondBackendError}.
 */
export async function checkAbilities(settings: RunSettings, engine: Engine): Promise<void> {
  const { workflows, platform, backend } = engine;
  const scope = workflows.scope(null);
  if (Object.values(backend.can).every((can) => can)) return;
  const names = await scope.names();
  for (const name of names.filter((each) => stateKind(each) === "prompt")) {
    const file = await read(name, scope);
    if (file?.kind !== "prompt") continue;
    const found = await findWorkflows(ruledPaths(file.rules), null, workflows);
    const problem = backendProblem(file, names, platform, settings, backend, found);
    if (problem !== null) throw new BeyondBackendError(scope.source(name), problem);
  }
}

/** Null where it cannot be read: that is told if the run ever comes there. */
async function read(name: StateName, scope: Scope): Promise<StateFile | null> {
  try {
    return await scope.load(name);
  } catch {
    return null;
  }
}
