import { TOP } from "../../language/basics/place.ts";
import { placesIn, type ReadState } from "../../language/outline/outline.ts";
import { mustBeDeclared } from "../../language/protocol/scan/attributes.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { foreignInterpreter } from "../../language/workflow/files/shebang.ts";
import { declaredData } from "../../language/workflow/policy/policy.ts";
import { isFork, stateOf } from "../moves.ts";
import { unescapedVariables } from "./escaping.ts";
import { addNames, type Found } from "./finding.ts";
import { type LintContext, type LintRule, severityIfReached } from "./lint-context.ts";

export const SCRIPT_RULES: readonly LintRule[] = [
  {
    id: "RAY701",
    severity: "error",
    title: "shell syntax error",
    check: (context) =>
      context.states.flatMap((state) => {
        const problem = context.syntax.get(state.name);
        // RAY702 and RAY705 report the cause.
        if (problem === undefined || hasWindowsLines(state)) return [];
        if (foreignInterpreter(state.file.body) !== null) return [];
        return [{ ...problem, source: state.source, severity: severityIfReached(context, state) }];
      }),
  },
  {
    id: "RAY702",
    severity: "error",
    title: "CRLF line endings in a shell script",
    check: (context) =>
      shellScripts(context, hasWindowsLines).map((state) => ({
        ...top(state),
        severity: severityIfReached(context, state),
        message: "The script has CRLF line endings. bash reads each \\r as part of the command.",
        hint: 'Run with --fix. Add "*.sh text eol=lf" to .gitattributes so that git keeps LF.',
        fix: { kind: "text", of: (text) => text.replaceAll("\r\n", "\n") },
      })),
  },
  {
    id: "RAY703",
    severity: "warning",
    title: "encoding of a shell script",
    check: (context) => [
      ...shellScripts(context, isUtf16).map((state) => ({
        ...top(state),
        severity: severityIfReached(context, state),
        message: "The script is not UTF-8 text but probably UTF-16, which bash cannot run.",
        hint: "Save it as UTF-8 without a byte order mark.",
      })),
      ...shellScripts(context, ({ file }) => file.body.startsWith("\uFEFF")).map((state) => ({
        ...top(state),
        message:
          "The script starts with a byte order mark, which bash reads as part of the first command.",
        hint: "Run with --fix, and save the file as UTF-8 without a byte order mark.",
        fix: { kind: "text", of: (text: string) => text.replace(/^\uFEFF/, "") } as const,
      })),
    ],
  },
  {
    id: "RAY704",
    severity: "warning",
    title: "unescaped variable in an attribute",
    check: ({ states }) => states.flatMap(unescapedVariables),
  },
  {
    id: "RAY705",
    severity: "error",
    title: "unsupported interpreter",
    check: (context) =>
      shellScripts(context, ({ file }) => foreignInterpreter(file.body) !== null).map((state) => ({
        ...top(state),
        severity: severityIfReached(context, state),
        message: `The first line names ${foreignInterpreter(state.file.body) ?? ""}, but raymond runs every .sh file with bash.`,
        hint: "Rewrite it for bash, or move the program to another file and call it from here.",
      })),
  },
  {
    id: "RAY706",
    severity: "warning",
    title: "typographic quotes in a script",
    check: (context) =>
      shellScripts(context, () => true).flatMap((state) => {
        const { body } = state.file;
        const found = /(?<=^[^"'#\n]*[\s=(])[\u201c\u201d\u2018\u2019]/m.exec(body);
        if (found === null) return [];
        return [
          {
            source: state.source,
            at: placesIn(state.file)(found.index),
            message: `${found[0]} is a typographic quote, which the shell reads as a letter.`,
            hint: "Use straight quotes.",
          },
        ];
      }),
  },
  {
    id: "RAY707",
    severity: "warning",
    title: "undeclared uppercase attribute",
    check: (context) => {
      const undeclared = undeclaredData(context);
      return context.states.flatMap((state) =>
        [...(undeclared.get(state.name) ?? [])].flatMap((name) => readingOf(state, name) ?? []),
      );
    },
  },
];

/** By script, the attributes of its agents that it does not get as environment variables. */
function undeclaredData({
  states,
  manifest,
  movesOf,
  flow,
}: LintContext): ReadonlyMap<StateName, ReadonlySet<string>> {
  const vars = "message" in manifest ? [] : manifest.vars.map(({ name }) => name);
  const rules = states.flatMap(({ file }) =>
    file.kind === "prompt" ? declaredData(file.rules) : [],
  );
  const declared = new Set([...vars, ...rules]);
  const found = new Map<StateName, Set<string>>();
  for (const move of states.flatMap(movesOf).filter(isFork)) {
    const worker = stateOf(move, "target");
    if (worker === null) continue;
    const names = Object.keys(move.values).filter(
      (name) => mustBeDeclared(name) && !declared.has(name),
    );
    if (names.length === 0) continue;
    for (const state of [worker, ...flow.beyond(worker)]) addNames(found, state, names);
  }
  return found;
}

/** Where a script first reads a variable of this name. */
function readingOf({ file, source, name: state }: ReadState, name: string): Found | null {
  if (file.kind !== "script") return null;
  const at = file.body.search(new RegExp(`\\$(?:env:|\\{(?:env:)?)?${name}\\b|%${name}%`));
  if (at === -1) return null;
  return {
    source,
    at: placesIn(file)(at),
    message: `The attribute ${name} is not an environment variable of ${state}: the workflow does not declare this uppercase name.`,
    hint: "Declare it in the rule for fork or in vars of workflow.yaml, or use a lowercase name.",
  };
}

function shellScripts(
  { states }: LintContext,
  is: (state: ReadState) => boolean,
): readonly ReadState[] {
  return states.filter((state) => state.name.endsWith(".sh") && is(state));
}

/** Decoded as UTF-8: a replaced byte order mark, or NUL characters. */
function isUtf16({ file }: ReadState): boolean {
  return /^(?:\uFFFD\uFFFD|[^\n]{0,200}\0)/.test(file.body);
}

function hasWindowsLines({ file }: ReadState): boolean {
  return file.body.includes("\r\n");
}

function top({ source }: ReadState): Pick<Found, "source" | "at"> {
  return { source, at: TOP };
}
