import type { Outline } from "../../../src/language/outline/outline.ts";
import { outlineState } from "../../../src/language/outline/outline-state.ts";
import { outlineWorkflow } from "../../../src/language/outline/outline-workflow.ts";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";

/** The outline of a workflow with these files, on Unix. */
export function outlineOf(files: Readonly<Record<string, string>>): Outline {
  const names = Object.keys(files).sort();
  const states = names.map((name) => {
    const file = parseStateFile(name, files[name] ?? "");
    return outlineState({ name, source: name, file }, names, "unix");
  });
  return outlineWorkflow({ names, platform: "unix", workflow: "flow" }, states, null);
}

/** A prompt with these rules in YAML. */
export function promptWith(...rules: readonly string[]): string {
  const lines = rules.map((rule) => `  - { ${rule} }\n`).join("");
  return `---\nallowed_transitions:\n${lines}---\nDo it.\n`;
}
