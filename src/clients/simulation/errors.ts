import { defineErrors } from "../../language/basics/errors.ts";
import type { Position } from "../../language/basics/place.ts";
import { PlacedError } from "../../language/workflow/errors.ts";

/** A `*.sim.yaml` does not follow docs/simulation.md. */
export class BadSimulationError extends PlacedError {
  override readonly name = "BadSimulationError";
  readonly code = "simulation/bad-file";
  /** Path in the file, e.g. `states.PLAN.md[0].cost`; empty for the whole file. */
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

export const simulationErrors = defineErrors({
  /** `expected`: a pattern or paths. */
  "simulation/not-found": (workflow: string, expected: readonly string[], example: string) => ({
    message: `${workflow} has no simulation. Expected ${expected.join(" or ")}.`,
    hint: `Write ${example}, for example:\n\nstates:\n  START.md:\n    - reply: "<result>done</result>"\n`,
  }),

  "simulation/ambiguous": (workflow: string, files: readonly string[]) => ({
    message: `${workflow} has ${String(files.length)} simulations: ${files.join(", ")}.`,
    hint: "Keep one of them. Files whose name does not end in .sim.yaml are ignored.",
  }),

  "simulation/unreadable": (file: string, cause: unknown) => ({
    message: `Cannot read the simulation ${file}: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: "Check that it is a text file, and that your user may read it.",
    cause,
  }),
});
