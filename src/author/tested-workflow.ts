import type { Scope } from "../engine/ports/scope.ts";
import type { StateName } from "../language/protocol/transition.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import type { StateFile } from "../language/workflow/files/state-file.ts";
import { findEntry } from "../language/workflow/policy/entry.ts";
import { findWorkflow, type WorkflowSource } from "../scopes/open.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { scopeIn } from "../wire/workflow.ts";
import type { States } from "./testing/states.ts";

/** A workflow as its tests use it: read once, and held. */
export interface TestedWorkflow {
  readonly found: WorkflowSource;
  readonly manifest: Manifest;
  /** What names of states mean in it. */
  readonly states: States;
  /** Where it begins. Throws a RaymondError where that is not known, and each test has to say it. */
  readonly entry: () => StateName;
  readonly scope: Scope;
  /** The same states from the folder that holds them. */
  readonly scopeIn: (folder: string) => Scope;
}

/** Opens a workflow for its tests. Rejects with a RaymondError where there is none. */
export async function openTestedWorkflow(path: string): Promise<TestedWorkflow> {
  const platform = systemPlatform();
  const found = await findWorkflow(path, platform);
  return {
    found,
    manifest: await found.manifest(),
    states: { names: found.names, platform },
    entry: () => found.entry ?? findEntry(found.names, platform, found.path),
    scope: await heldScope(found),
    scopeIn: (folder) => scopeIn(found.kind, folder),
  };
}

/** A problem in a state is reported when a test reaches it, as in a run. */
async function heldScope({ path, names, load, pathOf }: WorkflowSource): Promise<Scope> {
  const held = new Map<StateName, () => Promise<StateFile>>();
  for (const name of names) {
    const read = await load(name).then(
      (file) => () => Promise.resolve(file),
      (error: unknown) => () => {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
    held.set(name, read);
  }
  return {
    dir: path,
    names: () => Promise.resolve(names),
    load: (name) => held.get(name)?.() ?? load(name),
    path: pathOf,
    source: pathOf,
  };
}
