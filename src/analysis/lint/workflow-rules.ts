import { TOP } from "../../language/basics/place.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { RuleId } from "../../language/workflow/files/state-file.ts";
import {
  extensionOf,
  foldedName,
  scriptExtensions,
  stemOf,
} from "../../language/workflow/files/state-name.ts";
import { quoted } from "../../language/workflow/quote.ts";
import { describeLookalike, lookalikeOf } from "../../language/workflow/state-lookalike.ts";
import type { Found } from "./finding.ts";
import {
  type LintContext,
  type LintRule,
  looksLikeState,
  severityIfReached,
} from "./lint-context.ts";

export const WORKFLOW_RULES: readonly LintRule[] = [
  {
    id: "RAY101",
    severity: "error",
    title: "missing entry state",
    check: ({ outline: { entry }, workflow }) =>
      entry.ok ? [] : [{ source: workflow, at: TOP, ...entry.problem }],
  },
  {
    id: "RAY102",
    severity: "error",
    title: "invalid file",
    check: (context) => [
      ...context.outline.states.flatMap((state) => {
        if (state.ok || (!context.reached.has(state.name) && context.isDocument(state.name)))
          return [];
        const severity = severityIfReached(context, state);
        const { source } = state;
        return [state.problem, ...state.further].map((one) => ({ ...one, source, severity }));
      }),
      ...("message" in context.manifest
        ? [context.manifest, ...context.manifest.further].map(({ at, message, hint }) => ({
            ...{ at, message, hint },
            source: context.manifestSource,
          }))
        : []),
    ],
  },
  problemRule("RAY103", "empty prompt or script"),
  warningRule("RAY104", "unknown key"),
  {
    id: "RAY105",
    severity: "warning",
    title: "unreachable state",
    check: ({ states, meant, isComplete: isWhole, isDocument, outline: { entry } }) =>
      (isWhole ? states : [])
        .filter((state) => !meant.has(state.name) && !isDocument(state.name))
        .filter(looksLikeState)
        .map(({ name, source, file }) => ({
          source,
          at: { line: file.bodyLine, column: file.bodyColumn },
          message: `${name} cannot be reached from ${entry.ok ? entry.name : "the entry state"}.`,
          hint: "Add a transition to it, or remove the file.",
        })),
  },
  {
    id: "RAY106",
    severity: "warning",
    title: "file names that differ only in case",
    check: ({ outline: { names }, workflow }) => sameFileNames(names, workflow),
  },
  {
    id: "RAY107",
    severity: "note",
    title: "script for one platform only",
    check: missingCounterparts,
  },
  problemRule("RAY109", "prompt too long"),
  {
    id: "RAY110",
    severity: "warning",
    title: "ignored state file",
    check: ({ lookalikes: nearStates, states, workflow }) => {
      const written = states.flatMap(({ moves }) =>
        moves.flatMap(({ destinations }) => destinations.flatMap((one) => one.written ?? [])),
      );
      const named = new Set(written.map((one) => lookalikeOf(nearStates, one)));
      return nearStates
        .filter((one) => !named.has(one))
        .map((one) => ({ source: workflow, at: TOP, ...describeLookalike(one) }));
    },
  },
];

/** A rule for problems that a run reports as well. */
function problemRule(id: RuleId, title: string): LintRule {
  const check = (context: LintContext) =>
    context.states.flatMap((state) => {
      const { problem, source } = state;
      if (problem?.rule !== id) return [];
      if (context.isDocument(state.name) && !context.reached.has(state.name)) return [];
      return [{ ...problem, source, severity: severityIfReached(context, state) }];
    });
  return { id, severity: "error", title, check };
}

/** A rule for warnings of the parser. */
export function warningRule(id: RuleId, title: string): LintRule {
  return { id, severity: "warning", title, check: (context) => fileWarnings(context, id) };
}

function fileWarnings(
  { states, reached, isDocument, manifest, manifestSource }: LintContext,
  rule: RuleId,
): readonly Found[] {
  const files = states
    .filter(({ name }) => reached.has(name) || !isDocument(name))
    .flatMap(({ file, source }) => file.warnings.map((warning) => ({ source, warning })));
  const own = "message" in manifest ? [] : manifest.warnings;
  return [...files, ...own.map((warning) => ({ source: manifestSource, warning }))].flatMap(
    ({ source, warning }) => {
      if ((warning.rule ?? "RAY104") !== rule) return [];
      const at = { line: warning.line, column: 1 };
      const hint = HINTS.get(rule) ?? "Correct the key, or remove the line.";
      return [{ source, at, message: warning.message, hint }];
    },
  );
}

const HINTS: ReadonlyMap<RuleId, string> = new Map([
  ["RAY604", "Correct the name. The full id of a model is not checked."],
]);

function sameFileNames(names: readonly StateName[], workflow: string): readonly Found[] {
  const seen = new Map<string, StateName>();
  return names.flatMap((name) => {
    const folded = foldedName(name);
    const first = seen.get(folded);
    seen.set(folded, first ?? name);
    if (first === undefined) return [];
    const message = `The states ${quoted(first)} and ${quoted(name)} differ only in case: they are the same file on macOS and Windows.`;
    const hint = "Rename one of them.";
    return [{ source: workflow, at: TOP, message, hint }];
  });
}

/** Only for workflows with scripts for both platforms. */
function missingCounterparts({
  outline: { names },
  states,
  workflow,
}: LintContext): readonly Found[] {
  const groups = (["unix", "windows"] as const).map((platform) => {
    const endings: readonly string[] = scriptExtensions(platform);
    return names.filter((name) => endings.includes(extensionOf(name) ?? ""));
  });
  const [unix = [], windows = []] = groups;
  if (unix.length === 0 || windows.length === 0) return [];
  const unmatched = (own: readonly StateName[], other: readonly StateName[], missing: string) => {
    const stems = new Set(other.map(stemOf));
    return own
      .filter((name) => !stems.has(stemOf(name)))
      .map((name) => {
        const source = states.find((state) => state.name === name)?.source ?? workflow;
        const message = `${name} has no counterpart ${stemOf(name)}${missing} for the other platform.`;
        return {
          source,
          at: TOP,
          message,
          hint: "Add it so that the workflow runs on both platforms.",
        };
      });
  };
  return [...unmatched(unix, windows, ".bat"), ...unmatched(windows, unix, ".sh")];
}
