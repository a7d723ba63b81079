import { RaymondError } from "../errors.ts";
import { describeProblem, type FileProblem } from "../workflow/state-file.ts";

/** A workflow declares what the backend of the run cannot do. */
export class BeyondBackendError extends RaymondError {
  override readonly name = "BeyondBackendError";
  readonly code = "workflow/beyond-backend";
  readonly path: string;

  constructor(path: string, problem: FileProblem) {
    super(describeProblem(path, problem), { hint: problem.hint });
    this.path = path;
  }
}
