import { RaymondError } from "../core/errors.ts";
import { listed, quoted } from "../core/workflow/quote.ts";

/** `raymond init` with a name that no template has. */
export class UnknownTemplateError extends RaymondError {
  override readonly name = "UnknownTemplateError";
  readonly code = "workflow/unknown-template";

  constructor(wanted: string, meant: string | null, known: readonly string[]) {
    super(`There is no template ${quoted(wanted)}.`, {
      hint: meant === null ? `Templates: ${listed(known)}.` : `Did you mean ${meant}?`,
    });
  }
}

/** `raymond init` into a folder that holds something. */
export class FolderTakenError extends RaymondError {
  override readonly name = "FolderTakenError";
  readonly code = "workflow/folder-taken";

  constructor(folder: string, isFolder: boolean) {
    super(`${folder} ${isFolder ? "is not empty" : "is a file"}, and nothing is written over.`, {
      hint: "Name another folder behind the template, or take away what is there.",
    });
  }
}

/** `raymond init --skill` where somebody has changed the skill. */
export class SkillChangedError extends RaymondError {
  override readonly name = "SkillChangedError";
  readonly code = "workflow/skill-changed";

  constructor(file: string) {
    super(`${file} has been changed, and nothing is written over.`, {
      hint: "Move it away to have the one that ships, and put your changes into that.",
    });
  }
}

/** `raymond new` of something that it does not write. */
export class UnknownKindError extends RaymondError {
  override readonly name = "UnknownKindError";
  readonly code = "workflow/unknown-kind";

  constructor(wanted: string) {
    super(`raymond new writes states, and ${quoted(wanted)} is something else.`, {
      hint: "Write for example: raymond new state REVIEW (a whole workflow: raymond init)",
    });
  }
}

/** `raymond new state` with a name that a state cannot have, or should not. */
export class BadStateNameError extends RaymondError {
  override readonly name = "BadStateNameError";
  readonly code = "workflow/bad-state-name";

  constructor(name: string) {
    super(`${quoted(name)} cannot be the name of a new state.`, {
      hint: "Use letters, digits, _ and -, and for a script its ending: REVIEW, CHECK.sh",
    });
  }
}

/** `raymond new state` with a name that the folder has already. */
export class StateTakenError extends RaymondError {
  override readonly name = "StateTakenError";
  readonly code = "workflow/state-taken";

  constructor(name: string, existing: string) {
    super(`There is ${existing} already, and ${name} would be beside it under one name.`, {
      hint: "Choose another name, or edit what is there.",
    });
  }
}

/** `raymond new state` in a folder that holds other things than states. */
export class NoWorkflowHereError extends RaymondError {
  override readonly name = "NoWorkflowHereError";
  readonly code = "workflow/none-here";

  constructor(folder: string) {
    super(`${folder} holds files, and none of them is a state.`, {
      hint: "Go to the folder of the workflow, or name it by --in; a new workflow is written by raymond init.",
    });
  }
}
