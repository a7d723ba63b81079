import { RaymondError } from "../core/errors.ts";

/** A workflow with so much in it that a picture of it would take minutes, and show nothing. */
export class GraphTooLargeError extends RaymondError {
  override readonly name = "GraphTooLargeError";
  readonly code = "workflow/graph-too-large";

  constructor(states: number, ways: number) {
    const [nodes, edges] = [states, ways].map((n) => n.toLocaleString("en"));
    super(
      `There are ${nodes ?? ""} states and ${edges ?? ""} ways between them: too many for a readable picture.`,
      {
        hint: "Take --format dot and let Graphviz draw it, or --format json.",
      },
    );
  }
}
