import { nextHint, workflowsNear } from "../../scopes/nearby.ts";
import type { Caller } from "../caller.ts";
import { systemPlatform } from "./system.ts";

/** What somebody in this folder can run, in a sentence. */
export async function nextStep({ cwd }: Pick<Caller, "cwd">): Promise<string> {
  return nextHint(cwd, await workflowsNear(cwd, systemPlatform()));
}
