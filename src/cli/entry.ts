import { parseStateFile } from "../core/workflow/parse-state-file.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { stateProblem } from "../core/workflow/state-problem.ts";
import type { Located } from "../scopes/open.ts";
import { BadEntryError } from "./errors.ts";

/** Reads the start state before the run exists: what is wrong with it is a usage error (spec 4, exit code 2). */
export async function checkEntry(located: Located, platform: Platform): Promise<void> {
  const file = parseStateFile(located.entry, await located.read(located.entry));
  const problem = stateProblem(file, located.names, platform);
  if (problem !== null) throw new BadEntryError(located.entry, problem);
}
