import type { Asker } from "../../clients/claude/probe.ts";
import { startHelpers } from "../../process/children/helper-processes.ts";
import type { Caller } from "../caller.ts";
import { inherited } from "../engine/inherited.ts";

/** Runs the client with the caller's environment. */
export async function askerOf({ env, cwd, system }: Caller): Promise<Asker> {
  const { processes } = await system();
  return { env: inherited(env), cwd, start: startHelpers(processes.start) };
}
