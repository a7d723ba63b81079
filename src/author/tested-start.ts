import { mergeSettings } from "../config/merge.ts";
import type { PartialSettings } from "../config/settings.ts";
import { runSettings } from "../config/switches.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import type { RunSettings } from "../machine/run-state.ts";
import { requireInput, workflowSettings, workflowVariables } from "../wire/manifest.ts";
import type { TestStart } from "./test-engine.ts";
import type { TestedWorkflow } from "./tested-workflow.ts";
import type { Test } from "./testing/test-file.ts";

/**
 * The initial state of a test run. Ignores the environment and the user's configuration: a test has
 * the same result everywhere. Throws a RaymondError if the test lacks something that the workflow
 * requires.
 */
export function testedStart(
  one: Pick<Test, "start" | "input" | "vars" | "settings">,
  { manifest, found, entry }: TestedWorkflow,
): TestStart {
  const start = one.start ?? entry();
  const settings = testedSettings(one.settings, manifest);
  requireInput(manifest, one.input ?? undefined, found);
  const vars = workflowVariables(manifest, one.vars, found);
  return { start, settings, vars };
}

/** What is given, over what the workflow says, over the defaults. */
export function testedSettings(given: PartialSettings, manifest: Manifest): RunSettings {
  const { settings } = mergeSettings({
    flags: given,
    environment: {},
    file: null,
    workflow: workflowSettings(manifest),
  });
  return runSettings(settings);
}
