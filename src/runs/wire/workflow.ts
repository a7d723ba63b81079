import path from "node:path";
import { parseStateFile } from "../../core/workflow/parse-state-file.ts";
import { type StateFile, stateKind } from "../../core/workflow/state-file.ts";
import { promptProblem, stateProblem } from "../../core/workflow/state-problem.ts";
import { renderTemplate } from "../../core/workflow/template.ts";
import type { Scope } from "../../ports/scope.ts";
import { folderScope } from "../../scopes/folder.ts";
import { nextHint, workflowsNear } from "../../scopes/nearby.ts";
import { type Located, locateWorkflow } from "../../scopes/open.ts";
import { loadSimulation } from "../../simulation/find.ts";
import type { Simulation } from "../../simulation/script.ts";
import type { Caller } from "../caller.ts";
import { BadEntryError } from "../errors.ts";
import { systemPlatform } from "./system.ts";

/** A workflow before there is a run of it, and its first state. */
export interface Opened {
  readonly located: Located;
  readonly first: StateFile;
}

/** Finds what was named, and reads the start state: what is wrong with either is found before the run exists. */
export async function openWorkflow(
  workflow: string,
  start: string | null,
  { cwd }: Caller,
): Promise<Opened> {
  const platform = systemPlatform();
  const located = await locateWorkflow(path.resolve(cwd, workflow), platform, start);
  const place = located.pathOf(located.entry);
  const first = parseStateFile(located.entry, await located.read(located.entry), place);
  const problem = stateProblem(first, located.names, platform);
  if (problem !== null) throw new BadEntryError(place, problem);
  return { located, first };
}

/** Checks the first prompt with what the user has given for its placeholders. */
export function checkFirstPrompt(
  { located, first }: Opened,
  values: Readonly<Record<string, string>>,
): void {
  if (first.kind === "script") return;
  const problem = promptProblem(first, renderTemplate(first.body, values).prompt);
  if (problem !== null) throw new BadEntryError(located.pathOf(located.entry), problem);
}

/** The replies that stand beside a workflow. Rejects with a RaymondError. */
export function simulationOf({ path, kind }: Pick<Located, "path" | "kind">): Promise<Simulation> {
  return loadSimulation(path, kind);
}

/** The states of a run, in the folder that holds them. */
export function scopeIn(folder: string): Scope {
  return folderScope(folder);
}

/** Whether one of these states is a prompt. */
export function havePrompt(names: readonly string[]): boolean {
  return names.some((name) => stateKind(name) === "prompt");
}

/** What somebody in this folder can run, in a sentence. */
export async function nextStep({ cwd }: Pick<Caller, "cwd">): Promise<string> {
  return nextHint(cwd, await workflowsNear(cwd, systemPlatform()));
}
