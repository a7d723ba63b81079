import type { Outline, OutlinedMove } from "../outline/outline.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import { isByTag } from "./flow.ts";
import { type LintRule, whereReached } from "./lint-rule.ts";

/** Of other workflows. */
export const LIBRARY_RULES: readonly LintRule[] = [
  {
    id: "RAY801",
    severity: "error",
    title: "another workflow that cannot be entered",
    check: (study) =>
      study.states.flatMap((state) =>
        state.moves.flatMap((move) => {
          const path = pathOf(move);
          const found = path === null ? undefined : study.workflows.get(path);
          if (path === null || found?.ok !== false) return [];
          const severity = move.origin === "declared" ? whereReached(study, state) : "warning";
          const hint =
            "Paths begin at the folder of this workflow: correct it, or mend what lies there.";
          const { message } = found.fault;
          return [{ source: state.source, at: move.at, severity, word: path, message, hint }];
        }),
      ),
  },
  {
    id: "RAY802",
    severity: "warning",
    title: "a prompt that enters a workflow without a rule",
    check: ({ states }) =>
      states.flatMap(({ file, source, moves }) => {
        if (file.kind === "script" || file.rules !== null) return [];
        return moves
          .filter((move) => pathOf(move) !== null)
          .map(({ by, at }) => ({
            source,
            at,
            message: `A prompt may use <${by}> only where a rule names the path, and there are no rules here.`,
            hint: "Declare allowed_transitions with a rule for it: a model does not choose what code runs.",
          }));
      }),
  },
];

/** The paths of other workflows that a workflow names. */
export function pathsIn({ states }: Outline): readonly string[] {
  const moves = states.flatMap((state) => (state.ok ? state.moves : []));
  return [...new Set(moves.flatMap((move) => pathOf(move) ?? []))];
}

/** Null where a move leads to none, or only a run can tell to which. */
function pathOf(move: OutlinedMove): string | null {
  if (!isByTag(move)) return null;
  const { content } = TAG_TABLE[move.by];
  const path = content.holds === "workflow" ? move.values[content.name] : undefined;
  return path === undefined || /[$%`{}!]/.test(path) ? null : path;
}
