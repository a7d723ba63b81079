import type { StateName } from "../../core/protocol/transition.ts";
import { findEntry } from "../../core/workflow/entry.ts";
import type { Manifest } from "../../core/workflow/manifest.ts";
import type { StateFile } from "../../core/workflow/state-file.ts";
import type { Scope } from "../../ports/scope.ts";
import { type Found, findWorkflow } from "../../scopes/open.ts";
import type { States } from "../../testing/states.ts";
import { systemPlatform } from "./system.ts";
import { scopeIn } from "./workflow.ts";

/** A workflow as its tests use it: read once, and held. */
export interface TestedWorkflow {
  readonly found: Found;
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

/** What is wrong with a state is told when a test comes to it, as in a run. */
async function heldScope({ path, names, load, pathOf }: Found): Promise<Scope> {
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
