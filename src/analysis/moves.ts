import type { Destination, OutlinedMove, Role } from "../language/outline/outline.ts";
import { partsOf } from "../language/protocol/parts.ts";
import { TAG_TABLE } from "../language/protocol/tag-table.ts";
import type { StateName, Tag } from "../language/protocol/transition.ts";

/** The effect of a move on its agent, derived from the declaration of its tag. */
export type MoveKind = "way" | "call" | "start" | "question" | "end";

export function moveKind(move: OutlinedMove): MoveKind {
  if (!isByTag(move)) return "way";
  const { content, startsAgent } = TAG_TABLE[move.by];
  if (startsAgent) return "start";
  const roles = partsOf(move.by).flatMap((part) => (part.holds === "state" ? [part.name] : []));
  if (roles.includes("return")) return "call";
  if (content.holds !== "text") return "way";
  return roles.length > 0 ? "question" : "end";
}

/** Whether a move is caused by a tag, not by `on_error` or `on_context`. */
export function isByTag(move: OutlinedMove): move is OutlinedMove & { readonly by: Tag } {
  return move.by !== "on_error" && move.by !== "on_context";
}

/** Whether a move pushes its agent onto the stack of callers. */
export function isCall(move: OutlinedMove): boolean {
  return moveKind(move) === "call";
}

export function isFork(move: OutlinedMove): boolean {
  return moveKind(move) === "start";
}

/** Whether a move clears the return stack. */
export function dropsFrames(move: OutlinedMove): boolean {
  const may = isByTag(move) && partsOf(move.by).some(({ name }) => name === "frames");
  return may && move.values["frames"] !== "keep";
}

/** Undefined if the move names no state in this role. */
export function destinationAs({ destinations }: OutlinedMove, role: Role): Destination | undefined {
  return destinations.find((one) => one.role === role);
}

/** The resolved state in this role; null if there is none. */
export function stateOf(move: OutlinedMove, role: Role): StateName | null {
  return destinationAs(move, role)?.state ?? null;
}
