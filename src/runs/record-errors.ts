import { RaymondError } from "../core/errors.ts";

/** A test or a replay is asked of a run that lacks what it needs. */
export class NotRecordedError extends RaymondError {
  override readonly name = "NotRecordedError";
  readonly code = "run/not-recorded";

  constructor(id: string, problem: string, hint: string = WHOLE) {
    super(`The run ${id} cannot be taken from its record: ${problem}.`, { hint });
  }
}

const WHOLE =
  "What a run has recorded belongs to the version of raymond that drove it, and goes with its folder: take a run of this version that is whole.";

/** A run cannot be told as a test: what came of that test is not what came of the run. */
export class NotTestableError extends RaymondError {
  override readonly name = "NotTestableError";
  readonly code = "test/not-testable";

  constructor(id: string, problem: string, hint: string) {
    super(`The run ${id} cannot be told as a test: ${problem}`, { hint });
  }
}

/** A test file is to be written where there is one. */
export class TestExistsError extends RaymondError {
  override readonly name = "TestExistsError";
  readonly code = "test/exists";

  constructor(file: string) {
    super(`There is a file ${file} already, and nothing is written over.`, {
      hint: "Name another with --output, or move that one away.",
    });
  }
}
