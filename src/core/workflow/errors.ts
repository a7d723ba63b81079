import { RaymondError } from "../errors.ts";
import { type Position, placeText } from "../place.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Platform } from "./platform.ts";
import { listed, quoted } from "./quote.ts";
import { scriptExtensions, stemOf } from "./state-name.ts";

/** A transition, a rule or the command line names a state that the workflow lacks. */
export class UnknownStateError extends RaymondError {
  override readonly name = "UnknownStateError";
  readonly code = "workflow/unknown-state";
  readonly target: string;
  readonly nearest: StateName | null;

  constructor(target: string, names: readonly StateName[], nearest: StateName | null) {
    const guess = nearest === null ? "" : `Did you mean ${quoted(nearest)}? `;
    super(`There is no state ${quoted(target)} in this workflow.`, {
      hint: `${guess}The states here are: ${listed(names)}.`,
    });
    this.target = target;
    this.nearest = nearest;
  }
}

/** A bare name fits both a prompt and a script, so the choice is the author's. */
export class AmbiguousStateError extends RaymondError {
  override readonly name = "AmbiguousStateError";
  readonly code = "workflow/ambiguous-state";
  readonly target: string;
  readonly candidates: readonly StateName[];

  constructor(target: string, candidates: readonly StateName[]) {
    super(`The state ${quoted(target)} could be ${candidates.join(" or ")}.`, {
      hint: "Name the file with its extension.",
    });
    this.target = target;
    this.candidates = candidates;
  }
}

/** A state is there, but only as a script that this platform cannot run. */
export class WrongPlatformError extends RaymondError {
  override readonly name = "WrongPlatformError";
  readonly code = "workflow/wrong-platform";
  readonly target: string;
  readonly present: StateName;

  constructor(target: string, present: StateName, platform: Platform, usable: StateName | null) {
    const elsewhere = platform === "unix" ? "on Windows only" : "on Unix only";
    const wanted = `${stemOf(present)}${scriptExtensions(platform)[0]}`;
    super(
      `The state ${quoted(target)} is the script ${quoted(present)}, which runs ${elsewhere}.`,
      {
        hint:
          usable === null
            ? `Write ${quoted(wanted)} beside it for this platform.`
            : `Here the same state is ${quoted(usable)}: leave the extension out and each platform takes its own.`,
      },
    );
    this.target = target;
    this.present = present;
  }
}

/** A folder or zip without a state to start with (docs/authoring.md, "Names and files"). */
export class NoEntryError extends RaymondError {
  override readonly name = "NoEntryError";
  readonly code = "lint/RAY101";
  readonly names: readonly StateName[];

  constructor(names: readonly StateName[], workflow: string) {
    super(`${workflow} has no state to start with: neither 1_START nor START is there.`, {
      hint: `Rename the first state to START, or name it by --start STATE. The states here are: ${listed(names)}.`,
    });
    this.names = names;
  }
}

/** A folder or zip with more than one state to start with. */
export class AmbiguousEntryError extends RaymondError {
  override readonly name = "AmbiguousEntryError";
  readonly code = "lint/RAY101";
  readonly candidates: readonly StateName[];

  constructor(candidates: readonly StateName[], workflow: string) {
    super(`${workflow} could start with ${candidates.join(" or ")}.`, {
      hint: "Keep one of them, or name the one to start with by --start STATE.",
    });
    this.candidates = candidates;
  }
}

/** A folder or zip whose first state is a script for the other platform. */
export class EntryPlatformError extends RaymondError {
  override readonly name = "EntryPlatformError";
  readonly code = "lint/RAY101";
  readonly present: StateName;

  constructor(present: StateName, platform: Platform, workflow: string) {
    const elsewhere = platform === "unix" ? "on Windows only" : "on Unix only";
    const wanted = `${stemOf(present)}${scriptExtensions(platform)[0]}`;
    super(`${workflow} starts with the script ${quoted(present)}, which runs ${elsewhere}.`, {
      hint: `Write ${quoted(wanted)} beside it for this platform.`,
    });
    this.present = present;
  }
}

/** What a file of a workflow says at a place is not what it may say. */
export abstract class PlacedError extends RaymondError {
  /** Its path, as far as it is known. */
  readonly file: string;
  /** What is wrong there, as a sentence. */
  readonly problem: string;
  readonly line: number;
  readonly column: number;
  /** What else is wrong in the same file. */
  further: readonly PlacedError[] = [];

  constructor(file: string, at: Position, problem: string, hint: string) {
    super(`${placeText(file, at)}: ${problem}`, { hint });
    this.file = file;
    this.problem = problem;
    this.line = at.line;
    this.column = at.column;
  }
}

/** Reads all of these. Throws the first error about a place, with those of the others as its `further`. */
export function readEach<T, R>(items: readonly T[], read: (item: T) => R): readonly R[] {
  const values: R[] = [];
  const errors: PlacedError[] = [];
  for (const item of items) {
    try {
      values.push(read(item));
    } catch (error) {
      if (!(error instanceof PlacedError)) throw error;
      errors.push(error, ...error.further);
    }
  }
  const [first, ...others] = errors;
  if (first === undefined) return values;
  first.further = others;
  throw first;
}

/** The front matter of a prompt cannot be read, or says what it may not. */
export class BadFrontMatterError extends PlacedError {
  override readonly name = "BadFrontMatterError";
  readonly code = "lint/RAY102";
}

/** The directive comment of a script says what it may not. */
export class BadDirectiveError extends PlacedError {
  override readonly name = "BadDirectiveError";
  readonly code = "lint/RAY102";
}

/** A file that holds a whole workflow, or says what one takes, cannot be read, or says what it may not. */
export class BadWorkflowFileError extends PlacedError {
  override readonly name = "BadWorkflowFileError";
  readonly code = "lint/RAY102";
}

/** A folder that a workflow of one file cannot say. */
export class UnconvertibleError extends RaymondError {
  override readonly name = "UnconvertibleError";
  readonly code = "workflow/unconvertible";

  constructor(stem: string) {
    super(
      `The state ${quoted(stem)} is both a prompt and a script, and in one file it can be one.`,
      {
        hint: "Rename one of the two.",
      },
    );
  }
}
