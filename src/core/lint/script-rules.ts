import type { ReadState } from "../outline/outline.ts";
import type { Found } from "./finding.ts";
import { type LintRule, whereReached } from "./lint-rule.ts";
import type { Study } from "./study.ts";

/** Of scripts as such. */
export const SCRIPT_RULES: readonly LintRule[] = [
  {
    id: "RAY701",
    severity: "error",
    title: "a script that its shell cannot parse",
    check: (study) =>
      study.states.flatMap((state) => {
        const problem = study.syntax.get(state.name);
        // What the next rule finds is why, then.
        if (problem === undefined || hasWindowsLines(state)) return [];
        return [{ ...problem, source: state.source, severity: whereReached(study, state) }];
      }),
  },
  {
    id: "RAY702",
    severity: "error",
    title: "line ends of Windows in a shell script",
    check: (study) =>
      shellScripts(study, hasWindowsLines).map((state) => ({
        ...top(state),
        severity: whereReached(study, state),
        message:
          "The lines end as on Windows (CRLF), and bash takes each \\r for a part of the command.",
        hint: 'Let --fix mend it; "*.sh text eol=lf" in .gitattributes keeps git from bringing them back.',
        mend: { kind: "text", of: (text) => text.replaceAll("\r\n", "\n") },
      })),
  },
  {
    id: "RAY703",
    severity: "warning",
    title: "a byte order mark in a shell script",
    check: (study) =>
      shellScripts(study, ({ file }) => file.body.startsWith("\uFEFF")).map((state) => ({
        ...top(state),
        message:
          "It begins with a byte order mark, which bash takes for a part of the first command.",
        hint: "Let --fix take it away, and save it as UTF-8 without one.",
        mend: { kind: "text", of: (text) => text.replace(/^\uFEFF/, "") },
      })),
  },
];

function shellScripts({ states }: Study, is: (state: ReadState) => boolean): readonly ReadState[] {
  return states.filter((state) => state.name.endsWith(".sh") && is(state));
}

function hasWindowsLines({ file }: ReadState): boolean {
  return file.body.includes("\r\n");
}

function top({ source }: ReadState): Pick<Found, "source" | "at"> {
  return { source, at: { line: 1, column: 1 } };
}
