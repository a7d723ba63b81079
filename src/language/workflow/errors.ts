import { defineErrors, type ErrorText, RaymondError } from "../basics/errors.ts";
import { type Position, placeText } from "../basics/place.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Platform } from "./files/platform.ts";
import { scriptExtensions, stemOf } from "./files/state-name.ts";
import { listed, quoted } from "./quote.ts";

/** Why a workflow has no entry state (docs/authoring.md, "Names and files"). */
export type EntryProblem =
  | { readonly kind: "none"; readonly names: readonly StateName[] }
  | { readonly kind: "ambiguous"; readonly candidates: readonly StateName[] }
  | {
      readonly kind: "wrong-platform";
      readonly present: StateName;
      readonly platform: Platform;
    };

export const workflowErrors = defineErrors({
  "workflow/prompt-setup": (state: string) => ({
    message: `setup of worktree in workflow.yaml names ${state}, which is a prompt.`,
    hint: "Name a script.",
  }),
  "workflow/unknown-state": (
    target: string,
    names: readonly StateName[],
    nearest: StateName | null,
  ) => ({
    message: `Unknown state ${quoted(target)}.`,
    hint: `${nearest === null ? "" : `Did you mean ${quoted(nearest)}? `}States of this workflow: ${listed(names)}.`,
  }),
  "workflow/ambiguous-state": (target: string, candidates: readonly StateName[]) => ({
    message: `State ${quoted(target)} is ambiguous: it matches ${candidates.join(" and ")}.`,
    hint: "Add the file extension.",
  }),
  /** `usable`: the script of the same name for this platform. */
  "workflow/wrong-platform": (
    target: string,
    present: StateName,
    platform: Platform,
    usable: StateName | null,
  ) => ({
    message: `State ${quoted(target)} is the script ${quoted(present)}, which runs on ${otherPlatform(platform)} only.`,
    hint:
      usable === null
        ? addScript(present, platform)
        : `Leave out the extension: each platform then runs its own script, here ${quoted(usable)}.`,
  }),
  "workflow/unconvertible": (stem: string) => ({
    message: `State ${quoted(stem)} is both a prompt and a script. A workflow file can contain only one of them.`,
    hint: "Rename one of them.",
  }),
  "lint/RAY101": (workflow: string, problem: EntryProblem): ErrorText => {
    switch (problem.kind) {
      case "none":
        return {
          message: `${workflow} has no entry state: neither 1_START nor START exists.`,
          hint: `Rename the first state to START, or pass --start STATE. States of this workflow: ${listed(problem.names)}.`,
        };
      case "ambiguous":
        return {
          message: `${workflow} has more than one entry state: ${problem.candidates.join(", ")}.`,
          hint: "Keep one of them, or pass --start STATE.",
        };
      case "wrong-platform": {
        const { present, platform } = problem;
        return {
          message: `${workflow} starts with the script ${quoted(present)}, which runs on ${otherPlatform(platform)} only.`,
          hint: addScript(present, platform),
        };
      }
    }
  },
});

function otherPlatform(platform: Platform): string {
  return platform === "unix" ? "Windows" : "Unix";
}

function addScript(present: StateName, platform: Platform): string {
  return `Add ${quoted(`${stemOf(present)}${scriptExtensions(platform)[0]}`)} for this platform.`;
}

/** A syntax error or an invalid value at a position of a file. */
export abstract class PlacedError extends RaymondError {
  readonly file: string;
  /** A sentence without the position. */
  readonly problem: string;
  readonly line: number;
  readonly column: number;
  /** Further errors of the same file. */
  further: readonly PlacedError[] = [];

  constructor(file: string, at: Position, problem: string, hint: string) {
    super(`${placeText(file, at)}: ${problem}`, { hint });
    this.file = file;
    this.problem = problem;
    this.line = at.line;
    this.column = at.column;
  }
}

/** Reads all items. Throws the first `PlacedError`, with the others as its `further`. */
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

/** A file that is no valid JSON Schema. */
export class InvalidSchemaError extends PlacedError {
  override readonly name = "InvalidSchemaError";
  readonly code = "lint/RAY901";
}

/** A prompt, a script or a workflow file that cannot be read. */
export class InvalidFileError extends PlacedError {
  override readonly name = "InvalidFileError";
  readonly code = "lint/RAY102";
}
