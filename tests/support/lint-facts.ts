import { RaymondError } from "../../src/core/errors.ts";
import type { LintFacts } from "../../src/core/lint/study.ts";
import { outlineState } from "../../src/core/outline/outline-state.ts";
import { outlineWorkflow } from "../../src/core/outline/outline-workflow.ts";
import { MANIFEST_NAME, NO_MANIFEST, parseManifest } from "../../src/core/workflow/manifest.ts";
import { parseStateFile } from "../../src/core/workflow/parse-state-file.ts";
import type { Platform } from "../../src/core/workflow/platform.ts";
import { extensionOf, runsOn } from "../../src/core/workflow/state-name.ts";
import { backendFacts } from "./backend-facts.ts";

/** The texts of the files of a workflow, by their names. */
export type Files = Readonly<Record<string, string>>;

/** What lint looks at of a folder with these files. */
export function lintFacts(files: Files, platform: Platform = "unix"): LintFacts {
  const names = Object.keys(files)
    .filter((name) => extensionOf(name) !== null)
    .sort();
  const states = names
    .filter((name) => runsOn(name, platform))
    .map((name) => outlineState(load(name, files[name] ?? ""), names, platform));
  const manifest = files[MANIFEST_NAME];
  return {
    outline: outlineWorkflow({ names, platform, workflow: "w" }, states, null),
    workflow: "w",
    manifest: manifest === undefined ? NO_MANIFEST : parseManifest(manifest),
    manifestSource: MANIFEST_NAME,
    variables: [],
    backend: backendFacts(),
    workflows: new Map(),
    syntax: new Map(),
    nearStates: [],
    isDocument: (name) => name === "README.md",
  };
}

function load(name: string, text: string) {
  try {
    return { name, source: name, file: parseStateFile(name, text) };
  } catch (error) {
    if (error instanceof RaymondError) return { name, source: name, error };
    throw error;
  }
}
