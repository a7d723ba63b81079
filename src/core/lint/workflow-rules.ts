import type { StateName } from "../protocol/transition.ts";
import { quoted } from "../workflow/quote.ts";
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
        return [{ ...state.problem, source: state.source, severity: whereReached(study, state) }];
      }),
      ...("message" in study.manifest ? [{ ...study.manifest, source: study.manifestSource }] : []),
    ],
  },
  {
    id: "RAY103",
    severity: "error",
    title: "an empty prompt",
    check: (study) =>
      study.states.flatMap((state) => {
        const { file, source } = state;
        if (file.kind === "script" || file.body.trim() !== "") return [];
        if (study.isDocument(state.name) && !study.reached.has(state.name)) return [];
        const at = { line: file.bodyLine, column: file.bodyColumn };
        const hint = "Write what is to be done, below the front matter where there is one.";
        const severity = whereReached(study, state);
        return [{ source, at, severity, message: "The prompt is empty.", hint }];
      }),
  },
  {
    id: "RAY104",
    severity: "warning",
    title: "a key that is not known",
    check: ({ states, reached, isDocument, manifest, manifestSource }) => [
      ...states
        .filter(({ name }) => reached.has(name) || !isDocument(name))
        .flatMap(({ file, source }) => file.warnings.map((warning) => unknown(source, warning))),
      ...("message" in manifest
        ? []
        : manifest.warnings.map((warning) => unknown(manifestSource, warning))),
    ],
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
];

function unknown(
  source: string,
  { line, message }: { readonly line: number; readonly message: string },
): Found {
  const hint = "Correct it, or take the line away.";
  return { source, at: { line, column: 1 }, message, hint, mend: mendOf(message) };
}

/** Blanks behind the first line of front matter can go. */
function mendOf(message: string): Mend | null {
  if (!message.includes("blanks after ---")) return null;
  return { kind: "text", of: (text) => text.replace(/^(\uFEFF?---)[ \t]+(?=\r?\n)/, "$1") };
}

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
