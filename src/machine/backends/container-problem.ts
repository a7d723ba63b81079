import { TOP } from "../../language/basics/place.ts";
import type { FileProblem } from "../../language/workflow/files/state-file.ts";
import type { RunSettings } from "../model/run-state.ts";
import type { Capabilities } from "./backend-facts.ts";

/** The part of a backend that decides about containers. */
export interface ContainerFacts {
  readonly name: string;
  readonly can: Pick<Capabilities, "container">;
}

/** Why the prompts of a run cannot be answered in its container; null if they can. */
export function containerProblem(
  { container }: Pick<RunSettings, "container">,
  { name, can }: ContainerFacts,
): FileProblem | null {
  if (container === null || can.container) return null;
  return {
    at: TOP,
    message: `this is a prompt, and the backend "${name}" cannot run it in the container ${container}.`,
    hint: "Remove the setting container and name the image in the scripts that need it, or run raymond itself in a container.",
  };
}
