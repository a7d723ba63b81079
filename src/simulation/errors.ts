import { RaymondError } from "../core/errors.ts";
import type { Position } from "../core/place.ts";
import { PlacedError } from "../core/workflow/errors.ts";

/** Something in a `*.sim.yaml` is not what docs/simulation.md describes. */
export class BadSimulationError extends PlacedError {
  override readonly name = "BadSimulationError";
  readonly code = "simulation/bad-file";
  /** Where in the file, as a path such as `states.PLAN.md[0].cost`; empty for the whole file. */
  readonly field: string;

  constructor(
    file: string,
    at: Position,
    field: string,
    problem: string,
    hint: string = "docs/simulation.md describes the format.",
  ) {
    super(file, at, field === "" ? problem : `${field}: ${problem}`, hint);
    this.field = field;
  }
}

/** A workflow is to be simulated, and nobody has written its replies. */
export class NoSimulationError extends RaymondError {
  override readonly name = "NoSimulationError";
  readonly code = "simulation/not-found";
  /** What was looked for: a pattern or paths, absolute. */
  readonly sought: readonly string[];

  constructor(workflow: string, sought: readonly string[], example: string) {
    super(`There is no simulation of ${workflow}: looked for ${sought.join(" and ")}.`, {
      hint: `Write ${example}, for example:\n\nstates:\n  START.md:\n    - reply: "<result>done</result>"\n`,
    });
    this.sought = sought;
  }
}

/** More than one file could be meant, so the choice is the author's. */
export class SeveralSimulationsError extends RaymondError {
  override readonly name = "SeveralSimulationsError";
  readonly code = "simulation/ambiguous";
  readonly files: readonly string[];

  constructor(workflow: string, files: readonly string[]) {
    super(`${workflow} has ${String(files.length)} simulations: ${files.join(", ")}.`, {
      hint: "Keep one of them; a file whose name does not end in .sim.yaml is ignored.",
    });
    this.files = files;
  }
}

/** The file is there and the system does not let raymond read it, or it is not text. */
export class UnreadableSimulationError extends RaymondError {
  override readonly name = "UnreadableSimulationError";
  readonly code = "simulation/unreadable";
  readonly file: string;

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The simulation ${file} cannot be read: ${reason}.`, {
      hint: "Check that it is a file and that you may read it.",
      cause,
    });
    this.file = file;
  }
}
