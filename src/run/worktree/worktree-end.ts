import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { AGENTS } from "../../wire/agents/agents.ts";
import type { Caller } from "../../wire/caller.ts";
import { trustOfCopy } from "../../wire/trust/client-project.ts";
import type { Driving } from "../driving.ts";
import { endWorktree, type MadeWorktree } from "./run-worktree.ts";

/** The settings of a worktree are trusted if those of the checkout are, and they are the same. */
export async function trustedIn(
  made: Pick<MadeWorktree, "launchDir" | "worktree"> | null,
  trusted: readonly string[],
  caller: Caller,
): Promise<readonly string[]> {
  if (made === null) return trusted;
  const folders = { original: made.worktree.origin, copy: made.launchDir };
  const own = await Promise.all(
    AGENTS.map((agent) => trustOfCopy(agent, folders, trusted, caller)),
  );
  return [...trusted, ...own.flat()];
}

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
