import { RaymondError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { listed, quoted } from "../core/workflow/quote.ts";
import { EXTENSION_WORDS, stemOf } from "../core/workflow/state-name.ts";

/** Nothing is at the place that the user named as a workflow. */
export class WorkflowNotFoundError extends RaymondError {
  override readonly name = "WorkflowNotFoundError";
  readonly code = "workflow/not-found";
  readonly path: string;

  /**
   * `wanted` is what `folder`, the last folder of the path that exists, does not
   * have. `names` may be meant: paths from it. The hint where none is near: `otherwise`.
   */
  constructor(
    path: string,
    folder: string,
    wanted: string,
    names: readonly string[],
    { otherwise }: { readonly otherwise: string },
  ) {
    const near =
      meantOf(wanted, names, lastPart) ?? meantOf(wanted, names, (name) => stemOf(lastPart(name)));
    super(`There is no workflow at ${path}.`, {
      hint: near === undefined ? otherwise : `Did you mean ${quoted(near)}, in ${folder}?`,
    });
    this.path = path;
  }
}

function meantOf(
  wanted: string,
  names: readonly string[],
  called: (name: string) => string,
): string | undefined {
  const near = nearest(wanted, names.map(called));
  return names.find((name) => called(name) === near);
}

function lastPart(name: string): string {
  return name.split(/[\\/]/).at(-1) ?? name;
}

/** What the user named as a workflow is there, but is none. */
export class NotAWorkflowError extends RaymondError {
  override readonly name = "NotAWorkflowError";
  readonly code = "workflow/not-a-workflow";
  readonly path: string;

  constructor(
    path: string,
    reason: string,
    hint = `A workflow is a folder, a zip, a .yaml file with states, or one state: a file that ends in ${EXTENSION_WORDS}.`,
  ) {
    super(`${path} ${reason}.`, { hint });
    this.path = path;
  }
}

/** A single state was named as the workflow, and another to start at. */
export class TwoStartsError extends RaymondError {
  override readonly name = "TwoStartsError";
  readonly code = "workflow/two-starts";

  constructor(path: string, start: string, dir: string) {
    super(`${path} is a single state, so it cannot start at ${quoted(start)}.`, {
      hint: `Leave --start away, or name the folder: ${dir}`,
    });
  }
}

/** A path of another workflow leads out of the folders in which workflows may lie. */
export class OutsideLibraryError extends RaymondError {
  override readonly name = "OutsideLibraryError";
  readonly code = "workflow/outside-library";

  /** `real` is where a link on the way leads; null where the path itself leads out. */
  constructor(written: string, place: string, root: string, real: string | null) {
    super(
      real === null
        ? `${quoted(written)} means ${place}, which is not below ${root}, the folder that holds the started workflow.`
        : `${quoted(written)} means ${place}, which is a link out of ${root}, the folder that holds the started workflow, to ${real}.`,
      {
        hint: "Put the workflow there, or name its folder in workflow_path of the configuration.",
      },
    );
  }
}

/** The folder of a workflow cannot be listed any more. */
export class UnreadableScopeError extends RaymondError {
  override readonly name = "UnreadableScopeError";
  readonly code = "workflow/unreadable-folder";

  constructor(dir: string, cause: unknown) {
    super(`The folder of the workflow, ${dir}, cannot be read: ${reasonOf(cause)}.`, {
      hint: "Put it back where it was, and see to it that you may read it.",
      cause,
    });
  }
}

/** A state that was there when the transition was resolved, and is not there now. */
export class MissingStateError extends RaymondError {
  override readonly name = "MissingStateError";
  readonly code = "workflow/missing-state";

  constructor(state: StateName, dir: string, names: readonly StateName[]) {
    super(`There is no state ${quoted(state)} in ${dir}.`, {
      hint: `The states there are: ${listed(names)}.`,
    });
  }
}

/** A state that is there and cannot be used. */
export class UnreadableStateError extends RaymondError {
  override readonly name = "UnreadableStateError";
  readonly code = "workflow/unreadable-state";

  constructor(file: string, reason: string, hint: string, cause?: unknown) {
    super(`The state ${file} cannot be read: it ${reason}.`, { hint, cause });
  }
}

/** A zip that is no workflow, or not one that can be trusted. */
export class BadArchiveError extends RaymondError {
  override readonly name = "BadArchiveError";
  readonly code = "workflow/bad-archive";
  readonly path: string;

  constructor(path: string, reason: string, hint: string) {
    super(`The zip ${path} cannot be used: it ${reason}.`, { hint });
    this.path = path;
  }
}

/** `raymond pack` of a folder that would be no good zip. */
export class PackError extends RaymondError {
  override readonly name = "PackError";
  readonly code = "workflow/not-packed";

  /** `problem` as the end of the sentence "it …". */
  constructor(folder: string, problem: string, hint: string) {
    super(`${folder} cannot be packed: it ${problem}.`, { hint });
  }
}

/** `raymond pack` to a place that the zip cannot have. */
export class PackTargetError extends RaymondError {
  override readonly name = "PackTargetError";
  readonly code = "workflow/pack-target";

  constructor(file: string, problem: string) {
    super(`The zip is not written: ${file} ${problem}.`, {
      hint: "Name another place by --output: a folder, or a file that is not there yet.",
    });
  }
}

/** A good workflow of one file, zip or not, that could not be written to the folder of its run. */
export class UnpackError extends RaymondError {
  override readonly name = "UnpackError";
  readonly code = "workflow/unpack-failed";

  constructor(path: string, dir: string, cause: unknown) {
    super(`The workflow ${path} could not be unpacked to ${dir}: ${reasonOf(cause)}.`, {
      hint: "See to it that there is room and that you may write there, or choose another place with --state-dir.",
      cause,
    });
  }
}

/** What a workflow is to be converted to is in the way of something. */
export class ConversionTargetError extends RaymondError {
  override readonly name = "ConversionTargetError";
  readonly code = "workflow/conversion-target";

  constructor(path: string, reason: string) {
    super(`${path} ${reason}, and nothing is written over.`, {
      hint: "Name another place by -o, or take away what is there.",
    });
  }
}

/** Why a call to the system failed, as the end of a sentence. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "for an unknown reason";
}
