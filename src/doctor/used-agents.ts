import { usualAgent } from "../language/basics/default-agent.ts";
import { onUserError } from "../language/basics/errors.ts";
import { stateKind } from "../language/workflow/files/state-file.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { findWorkflowsIn } from "../scopes/suggest-workflows.ts";
import type { Caller } from "../wire/caller.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { describeWorkflow } from "../wire/workflow.ts";

/** A coding agent that runs in this folder may use. */
export interface UsedAgent {
  readonly name: string;
  /** The workflow that names it; null: it is the default agent. */
  readonly workflow: string | null;
  /** It only stands in for another one. */
  readonly spare: boolean;
}

/** The default agent first, then those that workflows in this folder name. */
export async function usedAgents(
  settings: Pick<RunSettings, "agents">,
  caller: Pick<Caller, "cwd">,
): Promise<readonly UsedAgent[]> {
  const usual = settings.agents ?? [usualAgent(settings)];
  const workflows = [".", ...(await findWorkflowsIn(caller.cwd, systemPlatform()))];
  const named = await Promise.all(workflows.map((each) => namedIn(each, caller)));
  const found = new Map<string, UsedAgent>();
  for (const one of [...asUsed(usual, null), ...named.flat()]) {
    const known = found.get(one.name);
    if (known === undefined || (known.spare && !one.spare)) found.set(one.name, one);
  }
  return [...found.values()];
}

/** States of one workflow that are read. */
const MOST_STATES = 200;

/** Nothing for a folder that is no workflow, or an invalid one: lint reports it. */
async function namedIn(
  workflow: string,
  caller: Pick<Caller, "cwd">,
): Promise<readonly UsedAgent[]> {
  const described = await describeWorkflow(workflow, caller).catch(onUserError(() => null));
  if (described === null) return [];
  const { located, manifest } = described;
  const prompts = located.names.filter((name) => stateKind(name) === "prompt");
  const files = await Promise.all(
    prompts.slice(0, MOST_STATES).map((name) => located.load(name).catch(() => null)),
  );
  const lists = files.map((file) => (file?.kind === "prompt" ? file.agents : null));
  return [...lists, manifest.defaults.agent ?? null].flatMap((names) =>
    asUsed(names ?? [], workflow),
  );
}

function asUsed(names: readonly string[], workflow: string | null): readonly UsedAgent[] {
  return names.map((name, index) => ({ name, workflow, spare: index > 0 }));
}
