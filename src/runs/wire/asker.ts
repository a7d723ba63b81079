import type { Asker } from "../../backends/claude/probe.ts";
import { endingWithThis } from "../../process/end-with-this.ts";
import type { Caller } from "../caller.ts";
import { inherited } from "./inherited.ts";

/** How the client is asked about itself, as whoever calls. */
export async function askerOf({ env, cwd, system }: Caller): Promise<Asker> {
  const { processes } = await system();
  return { env: inherited(env), cwd, start: endingWithThis(processes.start) };
}
