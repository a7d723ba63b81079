import { findWorkflowsIn, nextHint } from "../../scopes/suggest-workflows.ts";
import type { Caller } from "../caller.ts";
import { systemPlatform } from "../system/system.ts";

/** A suggestion for a workflow to run in this folder. */
export async function nextStep({ cwd }: Pick<Caller, "cwd">): Promise<string> {
  return nextHint(cwd, await findWorkflowsIn(cwd, systemPlatform()));
}
