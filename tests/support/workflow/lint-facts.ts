import type { LintInput } from "../../../src/analysis/lint/lint-context.ts";
import { RaymondError } from "../../../src/language/basics/errors.ts";
import { outlineState } from "../../../src/language/outline/outline-state.ts";
import { outlineWorkflow } from "../../../src/language/outline/outline-workflow.ts";
import {
  MANIFEST_NAME,
  NO_MANIFEST,
  parseManifest,
} from "../../../src/language/workflow/files/manifest.ts";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";
import type { Platform } from "../../../src/language/workflow/files/platform.ts";
import { extensionOf, runsOn } from "../../../src/language/workflow/files/state-name.ts";
import { isSchemaName } from "../../../src/language/workflow/policy/schema-name.ts";
import { backendFacts } from "../backend-facts.ts";

/** Contents of the files of a workflow, by name. */
export type Files = Readonly<Record<string, string>>;

/** The lint input for a folder with these files. */
export function lintFacts(files: Files, platform: Platform = "unix"): LintInput {
  const names = Object.keys(files)
    .filter((name) => extensionOf(name) !== null)
    .sort();
  const states = names
    .filter((name) => runsOn(name, platform))
    .map((name) => outlineState(load(name, files[name] ?? ""), names, platform));
  const manifest = files[MANIFEST_NAME];
  const schemas = Object.keys(files).filter(isSchemaName).sort();
  return {
    outline: outlineWorkflow({ names, platform, workflow: "w" }, states, null),
    workflow: "w",
    manifest: manifest === undefined ? NO_MANIFEST : parseManifest(manifest),
    manifestSource: MANIFEST_NAME,
    variables: [],
    backend: backendFacts(),
    agents: {
      known: ["claude", "codex"].map((name) => backendFacts({}, name)),
      usual: ["claude"],
    },
    user: null,
    workflows: new Map(),
    syntax: new Map(),
    lookalikes: [],
    schemas: {
      names: schemas,
      named: new Map(
        schemas.map((name) => [name, { document: JSON.parse(files[name] ?? "") as unknown }]),
      ),
      source: (name) => name,
    },
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
