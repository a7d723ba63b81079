import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import type { Driving } from "../driving.ts";
import { endWorktree } from "./run-worktree.ts";

export async function reportWorktree(
  run: RunState,
  artifacts: Artifacts,
  { onWorktree, warn }: Pick<Driving, "onWorktree" | "warn">,
  caller: Caller,
): Promise<void> {
  if (run.status !== "completed") return;
  try {
    const ended = await endWorktree(run, artifacts, caller);
    if (ended !== null) onWorktree?.(ended);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn?.(`Cannot commit the files of the worktree ${run.worktree?.folder ?? ""}: ${reason}`);
  }
}
