import { mergeSettings } from "../../config/merge.ts";
import type { PartialSettings } from "../../config/settings.ts";
import { runSettings } from "../../config/switches.ts";
import type { RunSettings } from "../../core/machine/run-state.ts";
import type { Manifest } from "../../core/workflow/manifest.ts";
import type { Test } from "../../testing/test-file.ts";
import { requireInput, workflowSettings, workflowVariables } from "./manifest.ts";
import type { TestBeginning } from "./test-engine.ts";
import type { TestedWorkflow } from "./tested-workflow.ts";

/**
 * What the run of a test begins with. Nobody's environment or configuration
 * counts: a test says the same everywhere. Throws a RaymondError where the test
 * lacks what the workflow requires.
 */
export function testedBeginning(
  one: Pick<Test, "start" | "input" | "vars" | "settings">,
  { manifest, found, entry }: TestedWorkflow,
): TestBeginning {
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
