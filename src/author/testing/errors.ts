import { defineErrors } from "../../language/basics/errors.ts";
import type { Position } from "../../language/basics/place.ts";
import { PlacedError } from "../../language/workflow/errors.ts";

export const testErrors = defineErrors({
  "test/not-found": (place: string) => ({
    message: `No tests found in ${place}: no file name ends with .test.yaml.`,
    hint: "Tests of a folder are in that folder, for example START.test.yaml. Tests of flow.yaml are in flow.yaml.test.yaml next to it (docs/testing.md).",
  }),
  "test/no-such-place": (place: string) => ({
    message: `Path not found: ${place}`,
    hint: "Name a test file, a workflow, or a folder that contains some. Without a path, all tests below the current folder run.",
  }),
  "test/unreadable": (file: string, cause: unknown) => ({
    message: `Cannot read or write the test file ${file}: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: "Check that it is a text file and that you have permission.",
    cause,
  }),
});

/** A `*.test.yaml` file violates the format (docs/testing.md). */
export class BadTestError extends PlacedError {
  override readonly name = "BadTestError";
  readonly code = "test/bad-file";
  /** Path in the file, for example `tests.it works.input`; empty for the whole file. */
  readonly field: string;

  constructor(file: string, at: Position, field: string, problem: string) {
    super(file, at, field === "" ? problem : `${field}: ${problem}`, "Format: docs/testing.md.");
    this.field = field;
  }
}
