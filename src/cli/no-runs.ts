import { nextHint, workflowsNear } from "../scopes/nearby.ts";
import type { Shell } from "./shell.ts";
import { systemPlatform } from "./system.ts";

/** What `list` says where there is no run yet: the place, and what to do next. */
export async function sayNoRuns(root: string, shell: Shell): Promise<void> {
  const workflows = await workflowsNear(shell.cwd, systemPlatform());
  shell.err.line(`There are no runs in ${root}. ${nextHint(shell.cwd, workflows)}`);
}
