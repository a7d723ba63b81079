import type { ReadState } from "../outline/outline.ts";
import { placesIn } from "../outline/places.ts";
import { mustBeDeclared } from "../protocol/attributes.ts";
import type { StateName } from "../protocol/transition.ts";
import { declaredData } from "../workflow/policy.ts";
import { foreignInterpreter } from "../workflow/shebang.ts";
import { unescapedVariables } from "./escaping.ts";
import type { Found } from "./finding.ts";
import { isFork, stateOf } from "./flow.ts";
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
        if (foreignInterpreter(state.file.body) !== null) return [];
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
  {
    id: "RAY704",
    severity: "warning",
    title: "a variable in an attribute that is not escaped",
    check: ({ states }) => states.flatMap(unescapedVariables),
  },
  {
    id: "RAY705",
    severity: "error",
    title: "a script for another interpreter than bash",
    check: (study) =>
      shellScripts(study, ({ file }) => foreignInterpreter(file.body) !== null).map((state) => ({
        ...top(state),
        severity: whereReached(study, state),
        message: `The first line names ${foreignInterpreter(state.file.body) ?? ""}, and raymond runs every .sh file with bash.`,
        hint: "Write it for bash, or put the program into another file and call it from here.",
      })),
  },
  {
    id: "RAY706",
    severity: "warning",
    title: "typographic quotes in a script",
    check: (study) =>
      shellScripts(study, () => true).flatMap((state) => {
        const { body } = state.file;
        const found = /(?<=^[^"'#\n]*[\s=(])[\u201c\u201d\u2018\u2019]/m.exec(body);
        if (found === null) return [];
        return [
          {
            source: state.source,
            at: placesIn(state.file)(found.index),
            message: `The shell takes ${found[0]} for a letter, and not for a quote.`,
            hint: "Write straight quotes.",
          },
        ];
      }),
  },
  {
    id: "RAY707",
    severity: "warning",
    title: "a script that reads an attribute in capitals that the workflow does not declare",
    check: (study) => {
      const undeclared = undeclaredData(study);
      return study.states.flatMap((state) =>
        [...(undeclared.get(state.name) ?? [])].flatMap((name) => readingOf(state, name) ?? []),
      );
    },
  },
];

/** By script, the names of attributes that its agents may have and that are no environment variables of it. */
function undeclaredData({
  states,
  manifest,
  movesOf,
  flow,
}: Study): ReadonlyMap<StateName, ReadonlySet<string>> {
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
    for (const state of names.length === 0 ? [] : [worker, ...flow.beyond(worker)]) {
      found.set(state, new Set([...(found.get(state) ?? []), ...names]));
    }
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
    message: `The attribute ${name} is not an environment variable of ${state}: its name is in capitals, and the workflow does not declare it.`,
    hint: "Name it in the rule for fork in allowed_transitions, declare it in vars of workflow.yaml, or write the name in lower case.",
  };
}

function shellScripts({ states }: Study, is: (state: ReadState) => boolean): readonly ReadState[] {
  return states.filter((state) => state.name.endsWith(".sh") && is(state));
}

function hasWindowsLines({ file }: ReadState): boolean {
  return file.body.includes("\r\n");
}

function top({ source }: ReadState): Pick<Found, "source" | "at"> {
  return { source, at: { line: 1, column: 1 } };
}
