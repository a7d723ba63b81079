import { RaymondError } from "../core/errors.ts";
import type { DeclaredVar } from "../core/workflow/manifest.ts";

/** `--var` that is no attribute. */
export class BadVariableError extends RaymondError {
  override readonly name = "BadVariableError";
  readonly code = "cli/bad-variable";

  constructor(given: string, problem: string) {
    super(`--var ${given.slice(0, 80)} cannot be used: ${problem}`, {
      hint: "Write --var name=value; names are letters, digits and _, and some are reserved (docs/protocol.md).",
    });
  }
}

/** A workflow requires variables that are not given. */
export class MissingVariablesError extends RaymondError {
  override readonly name = "MissingVariablesError";
  readonly code = "run/missing-var";

  constructor(path: string, missing: readonly Pick<DeclaredVar, "name" | "description">[]) {
    const told = missing.map(({ name, description }) =>
      description === null ? name : `${name} (${description})`,
    );
    super(`${path} needs ${told.join(", ")}.`, {
      hint: `Give ${missing.map(({ name }) => `--var ${name}=…`).join(" ")}; raymond help ${path} says what it takes.`,
    });
  }
}

/** A workflow does not take the value of a variable. */
export class UnfitVariableError extends RaymondError {
  override readonly name = "UnfitVariableError";
  readonly code = "run/unfit-var";

  constructor(problem: string, path: string) {
    super(`--var ${problem}`, { hint: `raymond help ${path} says what it takes.` });
  }
}

/** A workflow requires an input, and none is given. */
export class MissingInputError extends RaymondError {
  override readonly name = "MissingInputError";
  readonly code = "run/missing-input";

  constructor(path: string, description: string | null) {
    super(`${path} needs --input${description === null ? "" : `: ${description}`}.`, {
      hint: `Give --input TEXT, or --input - to read standard input; raymond help ${path} says what it takes.`,
    });
  }
}
