import { nextStep } from "../runs/wire/workflow.ts";
import type { Shell } from "./shell.ts";

/** What `list` says where there is no run yet: the place, and what to do next. */
export async function sayNoRuns(root: string, shell: Shell): Promise<void> {
  shell.err.line(`There are no runs in ${root}. ${await nextStep(shell)}`);
}
