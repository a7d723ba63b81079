import { RaymondError } from "../core/errors.ts";

/** A state file that is there, and that must not or cannot be read. */
export class UnreadableStateError extends RaymondError {
  override readonly name = "UnreadableStateError";
  readonly code = "workflow/unreadable-state";
  readonly file: string;

  constructor(file: string, reason: string, hint: string, cause?: unknown) {
    super(`The state ${file} cannot be read: ${reason}.`, { hint, cause });
    this.file = file;
  }
}

/** What the command line names as a workflow does not exist. */
export class WorkflowNotFoundError extends RaymondError {
  override readonly name = "WorkflowNotFoundError";
  readonly code = "workflow/not-found";
  readonly path: string;

  constructor(path: string, near: string | null) {
    super(`There is no workflow at ${path}.`, {
      hint:
        near === null
          ? "Name a folder of states, a zip archive of one, or a single state file."
          : `Did you mean ${near}?`,
    });
    this.path = path;
  }
}

/** What the command line names is there, and is no workflow. */
export class NoWorkflowError extends RaymondError {
  override readonly name = "NoWorkflowError";
  readonly code = "workflow/no-workflow";

  constructor(path: string, reason: string) {
    super(`${path} is no workflow: ${reason}.`, {
      hint: "A workflow is a folder or zip of states that end in .md, .sh or .bat.",
    });
  }
}
