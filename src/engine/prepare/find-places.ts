import { RaymondError } from "../../language/basics/errors.ts";
import type { WorkflowId } from "../../language/protocol/address.ts";
import type { Start, StateName } from "../../language/protocol/transition.ts";
import { wantsWorktree } from "../../language/protocol/worktree-name.ts";
import { resolveSetup } from "../../language/workflow/resolve.ts";
import type { DecisionContext, ResolvedPlaces } from "../../machine/decide/decision.ts";
import type { Step } from "../../machine/decide/step.ts";
import type { Engine } from "../engine.ts";

type Ports = Pick<Engine, "workflows" | "worktrees" | "platform">;

/** Keeps the files that new agents start from. Undefined: none of them gets a worktree. */
export async function findPlaces(
  { run, agent, cwd, file }: Step,
  starts: readonly Start[],
  { folders, workflows: found }: Pick<DecisionContext, "folders" | "workflows">,
  ports: Ports,
): Promise<ResolvedPlaces | undefined> {
  const { workflows, worktrees } = ports;
  if (worktrees === undefined || starts.length === 0) return undefined;
  try {
    const { fork: isDefault, copy } = await workflows.worktree(agent.workflow);
    const rules = file.kind === "prompt" ? (file.rules ?? []) : [];
    const values = [...starts, ...rules].flatMap(({ worktree }) => worktree ?? []);
    if (!isDefault && !values.some(wantsWorktree)) return undefined;
    const entered = [...found.values()].flatMap((each) => (each.ok ? each.entry.workflow : []));
    const setups = await setupsOf([agent.workflow, ...entered], ports);
    const places = await worktrees.place(run, cwd, [cwd, ...folders.values()]);
    return { ...places, ok: true, isDefault, setups, place: { ...places.place, copy } };
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    const { message, hint } = error;
    return { ok: false, message, hint };
  }
}

/** By workflow, the script that prepares worktrees. */
async function setupsOf(
  all: readonly (WorkflowId | null)[],
  { workflows, platform }: Ports,
): Promise<ReadonlyMap<WorkflowId | null, StateName>> {
  const setups = new Map<WorkflowId | null, StateName>();
  for (const workflow of new Set(all)) {
    const { setup } = await workflows.worktree(workflow);
    if (setup === null) continue;
    const names = await workflows.scope(workflow).names();
    setups.set(workflow, resolveSetup(names, setup, platform));
  }
  return setups;
}
