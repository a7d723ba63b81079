import type { StateName } from "../protocol/transition.ts";
import { describeNearState, nearStateOf } from "../workflow/near-state.ts";
import { quoted } from "../workflow/quote.ts";
import type { RuleId } from "../workflow/state-file.ts";
import { extensionOf, foldedName, scriptExtensions, stemOf } from "../workflow/state-name.ts";
import type { Found, Mend } from "./finding.ts";
import { type LintRule, whereReached } from "./lint-rule.ts";
import { looksLikeState, type Study } from "./study.ts";

const TOP = { line: 1, column: 1 } as const;

/** Of a workflow as a whole, and of files as such. */
export const WORKFLOW_RULES: readonly LintRule[] = [
  {
    id: "RAY101",
    severity: "error",
    title: "no state to start with",
    check: ({ outline: { entry }, workflow }) =>
      entry.ok ? [] : [{ source: workflow, at: TOP, ...entry.problem }],
  },
  {
    id: "RAY102",
    severity: "error",
    title: "a file that cannot be read",
    check: (study) => [
      ...study.outline.states.flatMap((state) => {
        if (state.ok || (!study.reached.has(state.name) && study.isDocument(state.name))) return [];
        const severity = whereReached(study, state);
        const { source } = state;
        return [state.problem, ...state.further].map((one) => ({ ...one, source, severity }));
      }),
      ...("message" in study.manifest ? [{ ...study.manifest, source: study.manifestSource }] : []),
    ],
  },
  {
    id: "RAY103",
    severity: "error",
    title: "an empty prompt or script",
    check: (study) => problemsOf(study, "RAY103"),
  },
  {
    id: "RAY104",
    severity: "warning",
    title: "a key that is not known",
    check: (study) => warnedOf(study, "RAY104"),
  },
  {
    id: "RAY105",
    severity: "warning",
    title: "a state that cannot be reached",
    check: ({ states, meant, isWhole, isDocument, outline: { entry } }) =>
      (isWhole ? states : [])
        .filter((state) => !meant.has(state.name) && !isDocument(state.name))
        .filter(looksLikeState)
        .map(({ name, source, file }) => ({
          source,
          at: { line: file.bodyLine, column: file.bodyColumn },
          message: `Nothing that begins at ${entry.ok ? entry.name : "the entry"} leads to ${name}.`,
          hint: "Lead to it from another state, or take the file away.",
        })),
  },
  {
    id: "RAY106",
    severity: "warning",
    title: "names that are one file on some disks",
    check: ({ outline: { names }, workflow }) => twins(names, workflow),
  },
  {
    id: "RAY107",
    severity: "note",
    title: "a script for one platform only",
    check: missingTwins,
  },
  {
    id: "RAY108",
    severity: "warning",
    title: "front matter that is not read",
    check: (study) => warnedOf(study, "RAY108"),
  },
  {
    id: "RAY109",
    severity: "error",
    title: "a prompt that is too long for the client",
    check: (study) => problemsOf(study, "RAY109"),
  },
  {
    id: "RAY110",
    severity: "warning",
    title: "a file that looks like a state and is none",
    check: ({ nearStates, states, workflow }) => {
      const written = states.flatMap(({ moves }) =>
        moves.flatMap(({ destinations }) => destinations.flatMap((one) => one.written ?? [])),
      );
      const named = new Set(written.map((one) => nearStateOf(nearStates, one)));
      return nearStates
        .filter((one) => !named.has(one))
        .map((one) => ({ source: workflow, at: TOP, ...describeNearState(one) }));
    },
  },
];

/** What a run would find by this rule in a state that is no document. */
function problemsOf(study: Study, rule: RuleId): readonly Found[] {
  return study.states.flatMap((state) => {
    const { problem, source } = state;
    if (problem?.rule !== rule) return [];
    if (study.isDocument(state.name) && !study.reached.has(state.name)) return [];
    return [{ ...problem, source, severity: whereReached(study, state) }];
  });
}

/** What reading its files has warned of by this rule. */
export function warnedOf(
  { states, reached, isDocument, manifest, manifestSource }: Study,
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
      const hint = HINTS.get(rule) ?? "Correct it, or remove the line.";
      const mend = rule === "RAY108" ? BEGIN_FRONT_MATTER : null;
      return [{ source, at, message: warning.message, hint, mend }];
    },
  );
}

const HINTS: ReadonlyMap<RuleId, string> = new Map([
  ["RAY108", "Begin the file with a line of exactly ---. --fix does it."],
  ["RAY604", "Correct it, or write the full id of the model."],
]);

const BEGIN_FRONT_MATTER: Mend = {
  kind: "text",
  of: (text) => text.replace(/^(\uFEFF?)(?:[ \t]*\r?\n)*---[ \t]*(?=\r?\n)/, "$1---"),
};

function twins(names: readonly StateName[], workflow: string): readonly Found[] {
  const seen = new Map<string, StateName>();
  return names.flatMap((name) => {
    const folded = foldedName(name);
    const first = seen.get(folded);
    seen.set(folded, first ?? name);
    if (first === undefined) return [];
    const message = `The states ${quoted(first)} and ${quoted(name)} are one file on macOS and Windows.`;
    const hint = "Rename one of them, by more than the case of its letters.";
    return [{ source: workflow, at: TOP, message, hint }];
  });
}

/** Of workflows that are made for both platforms. */
function missingTwins({ outline: { names }, states, workflow }: Study): readonly Found[] {
  const groups = (["unix", "windows"] as const).map((platform) => {
    const endings: readonly string[] = scriptExtensions(platform);
    return names.filter((name) => endings.includes(extensionOf(name) ?? ""));
  });
  const [unix = [], windows = []] = groups;
  if (unix.length === 0 || windows.length === 0) return [];
  const lonely = (own: readonly StateName[], other: readonly StateName[], missing: string) => {
    const stems = new Set(other.map(stemOf));
    return own
      .filter((name) => !stems.has(stemOf(name)))
      .map((name) => {
        const source = states.find((state) => state.name === name)?.source ?? workflow;
        const message = `${name} has no ${stemOf(name)}${missing} beside it, as other scripts here have.`;
        return {
          source,
          at: TOP,
          message,
          hint: "Write it, so that the workflow runs on both platforms.",
        };
      });
  };
  return [...lonely(unix, windows, ".bat"), ...lonely(windows, unix, ".sh")];
}
