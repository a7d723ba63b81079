import { pathOf } from "../outline/paths.ts";
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
