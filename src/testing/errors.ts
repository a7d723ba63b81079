import { RaymondError } from "../core/errors.ts";
import type { Position } from "../core/place.ts";
import { PlacedError } from "../core/workflow/errors.ts";

/** Something in a `*.test.yaml` is not what docs/testing.md describes. */
export class BadTestError extends PlacedError {
  override readonly name = "BadTestError";
  readonly code = "test/bad-file";
  /** Where in the file, as a path such as `tests.it works.input`; empty for the whole file. */
  readonly field: string;

  constructor(file: string, at: Position, field: string, problem: string) {
    const said = field === "" ? problem : `${field}: ${problem}`;
    super(file, at, said, "docs/testing.md describes the format.");
    this.field = field;
  }
}

/** Tests are asked for, and there are none where they would be. */
export class NoTestsError extends RaymondError {
  override readonly name = "NoTestsError";
  readonly code = "test/not-found";

  constructor(place: string) {
    super(`There are no tests in ${place}: no file there ends in .test.yaml.`, {
      hint: "The tests of a folder lie in it, as START.test.yaml say, those of flow.yaml beside it as flow.yaml.test.yaml (docs/testing.md).",
    });
  }
}

/** Tests are asked for at a path where nothing is. */
export class NoSuchPlaceError extends RaymondError {
  override readonly name = "NoSuchPlaceError";
  readonly code = "test/no-such-place";

  constructor(place: string) {
    super(`There is nothing at ${place}.`, {
      hint: "Name a test file, a workflow, or a folder that holds some; without a path the tests below the current folder run.",
    });
  }
}

/** A test file is there and the system does not let raymond read or write it, or it is not text. */
export class UnreadableTestError extends RaymondError {
  override readonly name = "UnreadableTestError";
  readonly code = "test/unreadable";

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The test file ${file} cannot be read or written: ${reason}.`, {
      hint: "Check that it is a text file and that you may use it.",
      cause,
    });
  }
}
