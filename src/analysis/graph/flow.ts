import type { Destination, OutlinedMove, Role } from "../../language/outline/outline.ts";
import { partsOf } from "../../language/protocol/parts.ts";
import { TAG_TABLE } from "../../language/protocol/tag-table.ts";
import type { Tag } from "../../language/protocol/transition.ts";
import type { By } from "./graph.ts";

/** What a tag does to the agents, as far as a picture shows it: told by its declaration, so that a new tag has one. */
export type Flow = "way" | "call" | "start" | "question" | "end";

/** What the tag or key of a move does. */
export function flowOf(by: By): Flow {
  if (by === "on_error" || by === "on_context") return "way";
  if (TAG_TABLE[by].startsAgent) return "start";
  const roles = partsOf(by).flatMap((part) => (part.holds === "state" ? [part.name] : []));
  if (roles.includes("return")) return "call";
  if (TAG_TABLE[by].content.holds !== "text") return "way";
  return roles.length > 0 ? "question" : "end";
}

/** Whether the agent waits there for its workers. */
export function waitsForWorkers(by: By): boolean {
  return by === "join";
}

/** Whether whoever called the agent is forgotten. */
export function dropsCallers({ by, values }: OutlinedMove): boolean {
  return by !== "on_error" && by !== "on_context" && clears(by) && values["frames"] !== "keep";
}

/** The path of another workflow that the tag names; null where it names none. */
export function workflowIn({ by, values }: OutlinedMove): string | null {
  if (by === "on_error" || by === "on_context") return null;
  const { content } = TAG_TABLE[by];
  const held: string = content.holds;
  return held === "workflow" ? (values[content.name] ?? "…") : null;
}

/** The state that the move has in this role; undefined where it names none. */
export function destinationAs({ destinations }: OutlinedMove, role: Role): Destination | undefined {
  return destinations.find((one) => one.role === role);
}

function clears(tag: Tag): boolean {
  return partsOf(tag).some(({ name }) => name === "frames");
}
