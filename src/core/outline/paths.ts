import { TAG_TABLE } from "../protocol/tag-table.ts";
import type { Outline, OutlinedMove, ReadState } from "./outline.ts";

/** The paths of other workflows that a workflow names. */
export function pathsIn({ states }: Outline): readonly string[] {
  const moves = states.flatMap((state) => (state.ok ? state.moves : []));
  return [...new Set(moves.flatMap((move) => pathOf(move) ?? []))];
}

/** Null where a move leads to no other workflow, or only a run can tell to which. */
export function pathOf(move: OutlinedMove): string | null {
  const written = writtenPath(move);
  return written === null || /[$%`{}!]/.test(written) ? null : written;
}

/** The paths of states as they are written, also those that only a run can tell. */
export function writtenPaths(states: readonly ReadState[]): readonly string[] {
  return [
    ...new Set(states.flatMap(({ moves }) => moves.flatMap((one) => writtenPath(one) ?? []))),
  ];
}

function writtenPath({ by, values }: OutlinedMove): string | null {
  if (by === "on_error" || by === "on_context") return null;
  const { content } = TAG_TABLE[by];
  return content.holds === "workflow" ? (values[content.name] ?? null) : null;
}
