import { findWorkflowsIn, nextHint } from "../../scopes/suggest-workflows.ts";
import type { Caller } from "../caller.ts";
import { systemPlatform } from "../system/system.ts";

export async function nextStep({ cwd }: Pick<Caller, "cwd">): Promise<string> {
  return nextHint(cwd, await findWorkflowsIn(cwd, systemPlatform()));
}
