import { findSchemas } from "../../engine/prepare/find-schemas.ts";
import { matchingRule } from "../../language/workflow/policy/policy.ts";
import { checkResult, resultSchemas } from "../../machine/decide/check-payload.ts";
import type { Agent } from "../../machine/model/agent.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { systemPlatform } from "../../wire/system/system.ts";
import { libraryOf, scopeIn, withLocalWorkflow } from "../../wire/workflow.ts";
import { setErrors } from "../errors.ts";

/**
 * The result that a person gives an agent, validated by the schemas that apply to a result of its
 * state (docs/authoring.md, "Checked results"). Throws `run/set-mismatch` with the faults. Rejects
 * with another RaymondError if the state or a schema cannot be read here.
 */
export async function checkedResult(
  run: RunState,
  agent: Agent,
  text: string,
  store: RunSource,
): Promise<string> {
  const here = await withLocalWorkflow(run, store);
  const artifacts = await store.artifacts(run.id);
  const library = libraryOf(here, scopeIn(here.workflow.kind, here.scopeDir), artifacts);
  const scope = library.scope(agent.workflow);
  const file = await scope.load(agent.state);
  const rules = file.kind === "prompt" ? file.rules : null;
  const transition = { tag: "result", payload: text } as const;
  const rule =
    rules === null ? null : matchingRule(rules, transition, await scope.names(), systemPlatform());
  const uses = resultSchemas({ agent, file }, rule);
  // The engine compares them with their content at the start.
  const settings = { ...run.settings, changedFiles: "allow" } as const;
  const schemas = await findSchemas(uses, settings, library, () => undefined);
  for (const found of schemas.values()) {
    if (!found.ok) throw setErrors["run/set-unchecked"](found);
  }
  const checked = checkResult(text, uses, schemas);
  if (!checked.ok) throw setErrors["run/set-mismatch"](checked.fault.message);
  return checked.text;
}
