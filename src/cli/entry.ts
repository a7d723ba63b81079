import { parseStateFile } from "../core/workflow/parse-state-file.ts";
import type { Platform } from "../core/workflow/platform.ts";
import type { StateFile } from "../core/workflow/state-file.ts";
import { promptProblem, stateProblem } from "../core/workflow/state-problem.ts";
import { renderTemplate } from "../core/workflow/template.ts";
import type { Located } from "../scopes/open.ts";
import { BadEntryError } from "./errors.ts";

/** Reads the start state before the run exists: what is wrong with it is a usage error. */
export async function checkEntry(located: Located, platform: Platform): Promise<StateFile> {
  const path = located.pathOf(located.entry);
  const file = parseStateFile(located.entry, await located.read(located.entry), path);
  const problem = stateProblem(file, located.names, platform);
  if (problem !== null) throw new BadEntryError(path, problem);
  return file;
}

/** The same for the first prompt with what the user has given for its placeholders. */
export function checkFirstPrompt(
  located: Located,
  file: StateFile,
  values: Readonly<Record<string, string>>,
): void {
  if (file.kind === "script") return;
  const problem = promptProblem(file, renderTemplate(file.body, values).prompt);
  if (problem !== null) throw new BadEntryError(located.pathOf(located.entry), problem);
}
