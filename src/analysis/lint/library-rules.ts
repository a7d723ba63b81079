import { pathOf } from "../../language/outline/outline.ts";
import { type LintRule, severityIfReached } from "./lint-context.ts";

export const LIBRARY_RULES: readonly LintRule[] = [
  {
    id: "RAY801",
    severity: "error",
    title: "invalid workflow path",
    check: (context) =>
      context.states.flatMap((state) =>
        state.moves.flatMap((move) => {
          const path = pathOf(move);
          const found = path === null ? undefined : context.workflows.get(path);
          if (path === null || found?.ok !== false) return [];
          const severity =
            move.origin === "declared" ? severityIfReached(context, state) : "warning";
          const hint =
            "Paths are relative to the folder of this workflow. Correct the path, or fix the workflow there.";
          const { message } = found.fault;
          return [{ source: state.source, at: move.at, severity, word: path, message, hint }];
        }),
      ),
  },
  {
    id: "RAY802",
    severity: "warning",
    title: "workflow entered without a rule",
    check: ({ states }) =>
      states.flatMap(({ file, source, moves }) => {
        if (file.kind === "script" || file.rules !== null) return [];
        return moves
          .filter((move) => pathOf(move) !== null)
          .map(({ by, at }) => ({
            source,
            at,
            message: `A prompt may use <${by}> only if a rule names the path. This prompt has no rules.`,
            hint: "Add a rule with this path to allowed_transitions. A model must not choose which code runs.",
          }));
      }),
  },
];
