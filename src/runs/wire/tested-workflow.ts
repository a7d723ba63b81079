import { RaymondError } from "../../core/errors.ts";
import type { StateName } from "../../core/protocol/transition.ts";
import type { Manifest } from "../../core/workflow/manifest.ts";
import type { StateFile } from "../../core/workflow/state-file.ts";
import { runsOn } from "../../core/workflow/state-name.ts";
import type { Scope } from "../../ports/scope.ts";
import { type Located, locateWorkflow } from "../../scopes/open.ts";
import type { States } from "../../testing/states.ts";
import { systemPlatform } from "./system.ts";
import { scopeIn } from "./workflow.ts";

/** A workflow as its tests use it: read once, and held. */
export interface TestedWorkflow {
  readonly located: Located;
  readonly manifest: Manifest;
  /** What names of states mean in it. */
  readonly states: States;
  /** Where it begins; or why that is not known, and each test has to say it. */
  readonly entry: { readonly state: StateName } | { readonly problem: RaymondError };
  readonly scope: Scope;
  /** The same states from the folder that holds them. */
  readonly scopeIn: (folder: string) => Scope;
}

/** Opens a workflow for its tests. Rejects with a RaymondError where there is none. */
export async function openTestedWorkflow(path: string): Promise<TestedWorkflow> {
  const { located, entry } = await locate(path);
  return {
    located,
    entry,
    manifest: await located.manifest(),
    states: { names: located.names, platform: systemPlatform() },
    scope: await heldScope(located),
    scopeIn: (folder) => scopeIn(located.kind, folder),
  };
}

/** A folder of states that begin nowhere can be tested from each of them. */
async function locate(path: string): Promise<Pick<TestedWorkflow, "located" | "entry">> {
  const platform = systemPlatform();
  try {
    const located = await locateWorkflow(path, platform);
    return { located, entry: { state: located.entry } };
  } catch (error) {
    if (!(error instanceof RaymondError) || !BEGINS_NOWHERE.has(error.code)) throw error;
    const names = (await scopeIn("folder", path).names()).filter((name) => runsOn(name, platform));
    const [first] = names;
    if (first === undefined) throw error;
    return { located: await locateWorkflow(path, platform, first), entry: { problem: error } };
  }
}

const BEGINS_NOWHERE: ReadonlySet<string> = new Set([
  "workflow/no-entry",
  "workflow/ambiguous-entry",
  "workflow/entry-platform",
]);

/** What is wrong with a state is told when a test comes to it, as in a run. */
async function heldScope(located: Located): Promise<Scope> {
  const held = new Map<StateName, () => Promise<StateFile>>();
  for (const name of located.names) {
    const read = await located.load(name).then(
      (file) => () => Promise.resolve(file),
      (error: unknown) => () => {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
    held.set(name, read);
  }
  return {
    dir: located.path,
    names: () => Promise.resolve(located.names),
    load: (name) => held.get(name)?.() ?? located.load(name),
    path: (name) => located.pathOf(name),
    source: (name) => located.pathOf(name),
  };
}
