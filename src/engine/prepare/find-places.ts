import { RaymondError } from "../../language/basics/errors.ts";
import type { Start } from "../../language/protocol/transition.ts";
import { wantsWorktree } from "../../language/protocol/worktree-name.ts";
import type { ResolvedPlaces } from "../../machine/step/decision.ts";
import type { Step } from "../../machine/step/step.ts";
import type { Engine } from "../engine.ts";

/** Keeps the files that new agents start from. Undefined: none of them gets a worktree. */
export async function findPlaces(
  { run, agent, cwd, file }: Step,
  starts: readonly Start[],
  folders: readonly string[],
  { workflows, worktrees }: Pick<Engine, "workflows" | "worktrees">,
): Promise<ResolvedPlaces | undefined> {
  if (worktrees === undefined || starts.length === 0) return undefined;
  try {
    const { fork: isDefault } = await workflows.worktree(agent.workflow);
    const rules = file.kind === "prompt" ? (file.rules ?? []) : [];
    const values = [...starts, ...rules].flatMap(({ worktree }) => worktree ?? []);
    if (!isDefault && !values.some(wantsWorktree)) return undefined;
    return { ok: true, isDefault, ...(await worktrees.place(run, cwd, folders)) };
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    const { message, hint } = error;
    return { ok: false, message, hint };
  }
}
