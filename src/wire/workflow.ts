import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { loadSimulation } from "../clients/simulation/find.ts";
import type { Simulation } from "../clients/simulation/scenario.ts";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import type { OutlineSource, Scope } from "../engine/ports/scope.ts";
import { fieldProblem } from "../language/workflow/field-problem.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { type StateFile, stateKind } from "../language/workflow/files/state-file.ts";
import type { StateLookalike } from "../language/workflow/state-lookalike.ts";
import { promptProblem, stateProblem } from "../language/workflow/state-problem.ts";
import { renderTemplate } from "../language/workflow/template.ts";
import type { RunState, WorkflowKind } from "../machine/model/run-state.ts";
import { scopeErrors } from "../scopes/errors.ts";
import { folderScope, nearStatesIn, readTextWithin } from "../scopes/folder.ts";
import { type Library, openLibrary } from "../scopes/library.ts";
import { findWorkflow, isBare, type LocatedWorkflow, locateWorkflow } from "../scopes/open.ts";
import { singleFileScope } from "../scopes/single-file.ts";
import type { WorkflowSource } from "../scopes/workflow-source.ts";
import type { Caller } from "./caller.ts";
import { BadStateError } from "./errors.ts";
import type { RunSource } from "./run-source.ts";
import { isFolder, systemPlatform } from "./system/system.ts";

export interface Opened {
  readonly located: LocatedWorkflow;
  readonly first: StateFile;
  readonly manifest: Manifest;
}

/** Finds a workflow and reads its first state, so that problems are reported before the run exists. */
export async function openWorkflow(
  workflow: string,
  start: string | null,
  { cwd }: Caller,
): Promise<Opened> {
  const platform = systemPlatform();
  const located = await locateWorkflow(path.resolve(cwd, workflow), platform, start);
  const place = located.pathOf(located.entry);
  const first = await located.load(located.entry);
  const problem = stateProblem(first, located.names, platform);
  if (problem !== null) throw new BadStateError(place, problem);
  return { located, first, manifest: await located.manifest() };
}

/** Also for a workflow that cannot start. */
export async function describeWorkflow(
  workflow: string,
  { cwd }: Pick<Caller, "cwd">,
): Promise<{ readonly located: LocatedWorkflow; readonly manifest: Manifest }> {
  const located = await locateWorkflow(path.resolve(cwd, workflow), systemPlatform());
  return { located, manifest: await located.manifest() };
}

/** The states of a folder; null if it contains only other files. Rejects with a RaymondError. */
export async function statesIn(folder: string): Promise<readonly string[] | null> {
  if ((await stat(folder).catch(() => null)) === null) {
    const [around, wanted] = [path.dirname(folder), path.basename(folder)];
    throw scopeErrors["workflow/not-found"](
      folder,
      around,
      wanted,
      [],
      "Make the folder first, or correct its path.",
    );
  }
  const names = await folderScope(folder).names();
  if (!isBare(names)) return names;
  const others = (await readdir(folder)).filter((name) => !name.startsWith("."));
  return others.length === 0 ? names : null;
}

/** Finds a workflow, valid or not. */
export async function findSource(
  workflow: string,
  { cwd }: Pick<Caller, "cwd">,
  platform: Platform = systemPlatform(),
): Promise<{ readonly found: WorkflowSource; readonly source: OutlineSource }> {
  const found = await findWorkflow(path.resolve(cwd, workflow), platform);
  return { found, source: sourceOf(found) };
}

/** Files in the workflow's folder that resemble states. */
export function nearStatesOf({
  kind,
  home,
}: Pick<WorkflowSource, "kind" | "home">): readonly StateLookalike[] {
  return kind === "folder" ? nearStatesIn(home) : [];
}

/** The text of an invalid workflow file, for error messages; null if it cannot be read. */
export function textOfFile(file: string): string | null {
  return readTextWithin(path.dirname(file), file);
}

export function sourceOf({
  path: workflow,
  names,
  load,
  schemas,
  schema,
  pathOf: source,
}: WorkflowSource): OutlineSource {
  return {
    ...{ workflow, load, source, schema },
    names: () => Promise.resolve(names),
    schemas: () => Promise.resolve(schemas),
  };
}

/** Checks the first prompt with the given values of its placeholders. */
export function checkFirstPrompt(
  { located, first }: Opened,
  values: Readonly<Record<string, string>>,
): void {
  if (first.kind === "script") return;
  const problem =
    promptProblem(first, renderTemplate(first.body, values).prompt) ?? fieldProblem(first, values);
  if (problem !== null) throw new BadStateError(located.pathOf(located.entry), problem);
}

/** The scenario of a workflow. Rejects with a RaymondError. */
export function simulationOf({
  path,
  kind,
}: Pick<LocatedWorkflow, "path" | "kind">): Promise<Simulation> {
  return loadSimulation(path, kind);
}

export function scopeIn(kind: WorkflowKind, folder: string): Scope {
  switch (kind) {
    case "folder":
    case "zip":
      return folderScope(folder);
    case "yaml":
      return singleFileScope(folder);
  }
}

/** The workflows of a run that this process does not drive. `scope`: its current workflow. */
export function libraryOf(
  { workflow, scopeDir: dir, settings }: RunState,
  scope: Scope,
  { workflows: copies, root: stateRoot }: Pick<Artifacts, "workflows" | "root">,
): Library {
  const { workflowPath } = settings;
  const started = { ...workflow, scope: { ...scope, dir } };
  return openLibrary({ started, workflowPath, platform: systemPlatform(), copies, stateRoot });
}

/** The run with a copy of its workflow, if the original is on another machine. */
export async function withLocalWorkflow(
  run: RunState,
  source: Pick<RunSource, "workflowCopy">,
): Promise<RunState> {
  if (isFolder(run.scopeDir)) return run;
  const copy = await source.workflowCopy(run);
  if (copy === null) return run;
  return { ...run, scopeDir: copy.scopeDir, workflow: { ...run.workflow, path: copy.path } };
}

export function havePrompt(names: readonly string[]): boolean {
  return names.some((name) => stateKind(name) === "prompt");
}
