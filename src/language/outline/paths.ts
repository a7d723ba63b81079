import { TAG_TABLE } from "../protocol/tag-table.ts";
import type { Outline, OutlinedMove, ReadState } from "./outline.ts";

/** The literal paths of other workflows in a workflow. */
export function pathsIn({ states }: Outline): readonly string[] {
  const moves = states.flatMap((state) => (state.ok ? state.moves : []));
  return [...new Set(moves.flatMap((move) => pathOf(move) ?? []))];
}

/** Null if a move leads to no other workflow, or the path is known only at run time. */
export function pathOf(move: OutlinedMove): string | null {
  const written = writtenPath(move);
  return written === null || /[$%`{}!]/.test(written) ? null : written;
}

/** The workflow paths of states as written, including those with variables. */
export function writtenPaths(states: readonly ReadState[]): readonly string[] {
  return [
    ...new Set(states.flatMap(({ moves }) => moves.flatMap((one) => writtenPath(one) ?? []))),
  ];
}

/** The workflow path of a move as written; null if it enters no other workflow. */
export function writtenPath({ by, values }: OutlinedMove): string | null {
  if (by === "on_error" || by === "on_context") return null;
  const { content } = TAG_TABLE[by];
  return content.holds === "workflow" ? (values[content.name] ?? null) : null;
}
