import { partsOf } from "../../protocol/parts.ts";
import { TAG_TABLE } from "../../protocol/tag-table.ts";
import type { Tag } from "../../protocol/transition.ts";
import { stateNameProblem } from "../files/state-name.ts";

const ENDING = ".schema.json";

/** Whether a file of a workflow is a schema, by its name. Hidden files are not packed. */
export function isSchemaName(name: string): boolean {
  return name.endsWith(ENDING) && !name.startsWith(".");
}

/** Why a text cannot name a schema file, as the end of a sentence; else null. */
export function schemaNameProblem(name: string): string | null {
  const problem = stateNameProblem(name);
  if (problem !== null) return problem;
  if (name.startsWith(".")) return "starts with a dot";
  return name.endsWith(ENDING) ? null : `does not end in ${ENDING}`;
}

/**
 * The text that `schema` in a rule for this tag validates (docs/authoring.md, "Checked results"): the
 * payload of the `result`, the result that returns from the call, or the `input` of the new agent.
 * Null: rules for this tag have no schema.
 */
export function checkedPart(tag: Tag): "result" | "return" | "input" | null {
  if (tag === "result") return "result";
  if (TAG_TABLE[tag].startsAgent) return "input";
  return partsOf(tag).some(({ field }) => field === "returnTo") ? "return" : null;
}
