import { defineErrors } from "../language/basics/errors.ts";
import { quoted } from "../language/workflow/quote.ts";
import type { RunId } from "../machine/model/run-state.ts";

export const authorErrors = defineErrors({
  "workflow/unknown-template": (wanted: string, near: string | null, known: readonly string[]) => ({
    message: `Template ${quoted(wanted)} not found.`,
    hint: near === null ? `Templates: ${known.join(", ")}.` : `Did you mean ${near}?`,
  }),
  "workflow/folder-taken": (folder: string, isFolder: boolean) => ({
    message: `Cannot write to ${folder}: it ${isFolder ? "is not empty" : "is a file"}.`,
    hint: "Name another folder after the template, or remove the existing files.",
  }),
  "workflow/no-skills": (agent: string) => ({
    message: `${agent} reads no skills of a project.`,
    hint: "Give it the file skills/raymond/SKILL.md of the package, or llms.txt.",
  }),
  "workflow/skill-changed": (file: string) => ({
    message: `Cannot overwrite ${file}: it has been modified.`,
    hint: "Move it away, run the command again, and merge your changes into the new file.",
  }),
  "workflow/unknown-kind": (wanted: string) => ({
    message: `raymond new creates states, not ${quoted(wanted)}.`,
    hint: "Example: raymond new state REVIEW. To create a workflow: raymond init",
  }),
  "workflow/bad-state-name": (name: string) => ({
    message: `${quoted(name)} is not a valid name for a new state.`,
    hint: "Use letters, digits, _ and -, and an extension for a script: REVIEW, CHECK.sh",
  }),
  "workflow/state-taken": (name: string, existing: string) => ({
    message: `Cannot create ${name}: ${existing} has the same state name.`,
    hint: "Choose another name, or edit the existing state.",
  }),
  "workflow/none-here": (folder: string) => ({
    message: `${folder} contains files, but no states.`,
    hint: "Change to the folder of the workflow, or name it with --in. To create a workflow: raymond init",
  }),
  "config/exists": (file: string) => ({
    message: `Configuration file already exists: ${file}`,
    hint: "Edit it, or move it away and run --init-config again.",
  }),
  "run/conversion-needs-folder": (workflow: string) => ({
    message: `Converting ${workflow} creates a folder of files, and no folder is named.`,
    hint: `Name a new one: raymond convert ${workflow} -o DIR`,
  }),
  "lint/zip": (path: string) => ({
    message: `Cannot fix problems in ${path}: it is a zip file.`,
    hint: "Unpack it, fix the folder, and pack it again: raymond lint FOLDER --fix",
  }),
  "test/not-testable": (id: RunId, problem: string, hint: string) => ({
    message: `Cannot convert run ${id} into a test: ${problem}`,
    hint,
  }),
  "test/exists": (file: string) => ({
    message: `File already exists: ${file}`,
    hint: "Name another one with --output, or move it away.",
  }),
});
