import { defineErrors } from "../language/basics/errors.ts";
import { nearest } from "../language/basics/nearest.ts";
import type { StateName } from "../language/protocol/transition.ts";
import { EXTENSION_WORDS, stemOf } from "../language/workflow/files/state-name.ts";
import { didYouMean, listed, quoted } from "../language/workflow/quote.ts";

/** Errors about workflows: finding, reading, packing and converting them. */
export const scopeErrors = defineErrors({
  /**
   * `missing` does not exist in `folder`, the last existing folder of the path. `names` are
   * candidates for a suggestion, relative to `folder`; `otherwise` is the hint if none is similar.
   */
  "workflow/not-found": (
    path: string,
    folder: string,
    missing: string,
    names: readonly string[],
    otherwise: string,
  ) => {
    const near =
      similarName(missing, names, lastPart) ??
      similarName(missing, names, (name) => stemOf(lastPart(name)));
    return {
      message: `No workflow found at ${path}.`,
      hint: near === undefined ? otherwise : `Did you mean ${quoted(near)} in ${folder}?`,
    };
  },
  "workflow/not-a-workflow": (path: string, problem: string, hint = WORKFLOW_KINDS) => ({
    message: `${path} ${problem}.`,
    hint,
  }),
  "workflow/two-starts": (path: string, start: string, dir: string) => ({
    message: `${path} is a single state, so the run cannot start at ${quoted(start)}.`,
    hint: `Remove --start, or pass the folder: ${dir}`,
  }),
  /** `real` is the target of a link in the path; null if the path itself is outside. */
  "workflow/outside-library": (
    written: string,
    place: string,
    root: string,
    real: string | null,
  ) => ({
    message:
      real === null
        ? `${quoted(written)} resolves to ${place}, which is outside ${root}, the folder that contains the started workflow.`
        : `${quoted(written)} resolves to ${place}, a link to ${real}, which is outside ${root}, the folder that contains the started workflow.`,
    hint: "Move the workflow into that folder, or add its folder to workflow_path in the configuration.",
  }),
  "workflow/unreadable-folder": (dir: string, cause: unknown) => ({
    message: `Cannot read the workflow folder ${dir}: ${reasonOf(cause)}.`,
    hint: "Restore the folder, and check that you have permission to read it.",
    cause,
  }),
  "workflow/missing-state": (state: StateName, dir: string, names: readonly StateName[]) => ({
    message: `State ${quoted(state)} not found in ${dir}.`,
    hint: `Available states: ${listed(names)}.`,
  }),
  "workflow/missing-schema": (schema: string, dir: string, names: readonly string[]) => ({
    message: `Schema ${quoted(schema)} not found in ${dir}.`,
    hint: `${didYouMean(schema, names)}Available schemas: ${listed(names)}.`,
  }),
  "workflow/unreadable-state": (file: string, problem: string, hint: string, cause?: unknown) => ({
    message: `Cannot read ${file}: it ${problem}.`,
    hint,
    cause,
  }),
  "workflow/bad-archive": (path: string, problem: string, hint: string) => ({
    message: `Cannot use zip ${path}: it ${problem}.`,
    hint,
  }),
  "workflow/not-packed": (folder: string, problem: string, hint: string) => ({
    message: `Cannot pack ${folder}: it ${problem}.`,
    hint,
  }),
  "workflow/pack-target": (file: string, problem: string) => ({
    message: `Cannot write the zip: ${file} ${problem}.`,
    hint: "Choose another path with --output: a folder, or a file that does not exist yet.",
  }),
  "workflow/unpack-failed": (path: string, dir: string, cause: unknown) => ({
    message: `Cannot unpack workflow ${path} to ${dir}: ${reasonOf(cause)}.`,
    hint: "Check free space and write permission, or choose another place with --state-dir.",
    cause,
  }),
  "workflow/conversion-target": (path: string, problem: string) => ({
    message: `${path} ${problem}. Existing files are not overwritten.`,
    hint: "Choose another path with --output, or remove the existing one.",
  }),
});

const WORKFLOW_KINDS = `A workflow is a folder, a zip, a .yaml file with states, or a single state: a file that ends in ${EXTENSION_WORDS}.`;

/** A hint for files that cannot be opened. */
export const CHECK_FILE = "Check that the file exists and that you have permission to read it.";

function similarName(
  missing: string,
  names: readonly string[],
  keyOf: (name: string) => string,
): string | undefined {
  const near = nearest(missing, names.map(keyOf));
  return names.find((name) => keyOf(name) === near);
}

function lastPart(name: string): string {
  return name.split(/[\\/]/).at(-1) ?? name;
}

/** The reason of a failed system call, for the end of a message. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "unknown reason";
}
