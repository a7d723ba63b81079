import { mergeSettings } from "../config/merge.ts";
import type { PartialSettings } from "../config/settings.ts";
import { runSettings } from "../config/switches.ts";
import type { Scope } from "../engine/ports/scope.ts";
import type { StateName } from "../language/protocol/transition.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import type { StateFile } from "../language/workflow/files/state-file.ts";
import { findEntry } from "../language/workflow/policy/entry.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { findWorkflow } from "../scopes/open.ts";
import type { WorkflowSource } from "../scopes/workflow-source.ts";
import { requireInput, workflowSettings, workflowVariables } from "../wire/manifest.ts";
import { systemPlatform } from "../wire/system/system.ts";
import type { States } from "./testing/given.ts";
import type { Test } from "./testing/test-file.ts";

/** A workflow that was read once, for all its tests. */
export interface TestedWorkflow {
  readonly found: WorkflowSource;
  readonly manifest: Manifest;
  readonly states: States;
  /** Throws a RaymondError if the workflow has no first state, so that tests must name one. */
  readonly entry: () => StateName;
  readonly scope: Scope;
}

/** Rejects with a RaymondError if there is no such workflow. */
export async function openTestedWorkflow(path: string): Promise<TestedWorkflow> {
  const platform = systemPlatform();
  const found = await findWorkflow(path, platform);
  return {
    found,
    manifest: await found.manifest(),
    states: { names: found.names, platform },
    entry: () => found.entry ?? findEntry(found.names, platform, found.path),
    scope: await heldScope(found),
  };
}

/** A problem in a state is reported when a test reaches it, as in a run. */
async function heldScope(source: WorkflowSource): Promise<Scope> {
  const { path, names, load, schemas, schema, pathOf } = source;
  const held = new Map<StateName, Promise<StateFile>>();
  for (const name of names) {
    const file = load(name);
    held.set(name, file);
    await file.catch(() => undefined);
  }
  return {
    dir: path,
    names: () => Promise.resolve(names),
    schemas: () => Promise.resolve(schemas),
    schema,
    load: (name) => held.get(name) ?? load(name),
    path: pathOf,
    source: pathOf,
  };
}

/** The first state, settings and variables of a test run. */
export interface TestStart {
  readonly settings: RunSettings;
  readonly vars: Readonly<Record<string, string>>;
  readonly start: StateName;
}

/**
 * Ignores the environment and the user's configuration: a test has the same result everywhere.
 * Throws a RaymondError if the test lacks something that the workflow requires.
 */
export function testedStart(
  test: Pick<Test, "start" | "input" | "vars" | "settings">,
  { manifest, found, entry }: TestedWorkflow,
): TestStart {
  const start = test.start ?? entry();
  const settings = testedSettings(test.settings, manifest);
  requireInput(manifest, test.input ?? undefined, found);
  return { start, settings, vars: workflowVariables(manifest, test.vars, found) };
}

/** Settings of the test, then of the workflow, then defaults. */
export function testedSettings(flags: PartialSettings, manifest: Manifest): RunSettings {
  const workflow = workflowSettings(manifest);
  return runSettings(mergeSettings({ flags, environment: {}, file: null, workflow }).settings);
}
