import type { RunState } from "../machine/run-state.ts";
import type { Caller } from "./caller.ts";
import { isFolder } from "./system/system.ts";

/** A run with the files of its workflow where they lie on this machine: those of a copy, where only another machine of its fleet has them. */
export async function withFilesHere(
  run: RunState,
  { fleet }: Pick<Caller, "fleet">,
): Promise<RunState> {
  if (fleet === undefined || isFolder(run.scopeDir)) return run;
  const copy = await fleet.workflowOf(run);
  if (copy === null) return run;
  return { ...run, scopeDir: copy.scopeDir, workflow: { ...run.workflow, path: copy.path } };
}
