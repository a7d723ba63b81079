import type { Destination, OutlinedMove, ReadState } from "../../language/outline/outline.ts";
import { findState } from "../../language/workflow/files/find-state.ts";
import { type RuleId, stateKind } from "../../language/workflow/files/state-file.ts";
import { extensionOf, stemOf } from "../../language/workflow/files/state-name.ts";
import { quoted } from "../../language/workflow/quote.ts";
import { describeLookalike, lookalikeOf } from "../../language/workflow/state-lookalike.ts";
import type { Found } from "./finding.ts";
import { type LintContext, type LintRule, severityIfReached } from "./lint-context.ts";

export const TARGET_RULES: readonly LintRule[] = [
  targetRule("RAY201", "unknown state", "unknown"),
  targetRule("RAY202", "ambiguous state name", "ambiguous"),
  targetRule("RAY203", "state for another platform", "wrong-platform"),
  {
    id: "RAY204",
    severity: "error",
    title: "prompt used as a gate",
    check: (context) =>
      context.states.flatMap((state) =>
        state.moves.flatMap(({ at, destinations }) => {
          const gate = destinations.find(({ role }) => role === "verify");
          const { state: name, written } = gate ?? { state: null, written: null };
          if (name === null || stateKind(name) === "script") return [];
          const message = `The verify of this rule names ${quoted(name)}, which is a prompt. A gate must be a script.`;
          const hint = "Name a script. Its exit code decides.";
          const severity = severityIfReached(context, state);
          return [{ source: state.source, at, severity, word: written, message, hint }];
        }),
      ),
  },
  {
    id: "RAY205",
    severity: "error",
    title: "rule that can never match",
    check: (context) =>
      context.states.flatMap((state) => {
        const { problem, source } = state;
        if (problem?.rule !== "RAY205") return [];
        return [{ ...problem, source, severity: severityIfReached(context, state) }];
      }),
  },
  {
    id: "RAY206",
    severity: "warning",
    title: "malformed tag",
    check: (context) =>
      context.states.flatMap(({ source, moves }) =>
        moves.flatMap(({ problem, at }) =>
          problem === null
            ? []
            : [{ source, at, message: problem, hint: "See raymond help tags." }],
        ),
      ),
  },
  {
    id: "RAY207",
    severity: "warning",
    title: "misspelled tag",
    check: ({ misspelled }) =>
      misspelled.map(({ source, at, written, meant }) => ({
        source,
        at,
        message: `Unknown tag ${quoted(written)}. Did you mean ${meant}?`,
        hint: "Tags are lowercase and have a closing tag: <goto>NEXT</goto>.",
      })),
  },
];

type Kind = ReturnType<typeof findState>["kind"];

/** A rule for targets that are not resolved for this reason. */
function targetRule(id: RuleId, title: string, kind: Kind): LintRule {
  const check = (context: LintContext) =>
    context.states
      .filter(({ name }) => context.reached.has(name) || !context.isDocument(name))
      .flatMap((state) =>
        state.moves.flatMap((move) =>
          move.destinations.flatMap((one) => badTarget(context, state, move, one, kind) ?? []),
        ),
      );
  return { id, severity: "error", title, check };
}

function badTarget(
  context: LintContext,
  state: ReadState,
  move: OutlinedMove,
  { role, written, fault }: Destination,
  kind: Kind,
): Found | null {
  if (fault === null || written === null) return null;
  const { names, platform } = context.outline;
  const finding = findState(names, written, platform);
  if (finding.kind === "found" || finding.kind !== kind) return null;
  const where = { source: state.source, at: move.at, word: written } as const;
  // A tag in the text of a prompt or script may be an example.
  const severity = move.origin === "declared" ? severityIfReached(context, state) : "warning";
  const what = `${role} ${quoted(written)} of ${nameOf(move)}`;
  switch (finding.kind) {
    case "unknown": {
      const near = lookalikeOf(context.lookalikes, written);
      if (near !== null) {
        const { message, hint } = describeLookalike(near);
        return {
          ...where,
          severity,
          message: `Unknown ${what}: ${message}`,
          hint,
        };
      }
      const guess = finding.nearest === null ? null : nameLike(written, finding.nearest);
      const question = guess === null ? "" : ` Did you mean ${guess}?`;
      const sameButCase = guess !== null && guess.toLowerCase() === written.toLowerCase();
      return {
        ...where,
        severity,
        message: `Unknown ${what}.${question}`,
        hint: "Correct the name, or add the state.",
        fix: sameButCase ? { kind: "word", by: guess } : null,
      };
    }
    case "ambiguous": {
      const message = `Ambiguous ${what}: it matches ${finding.candidates.join(" and ")}.`;
      return { ...where, severity, message, hint: "Add the file extension." };
    }
    case "wrong-platform": {
      const elsewhere = platform === "unix" ? "Windows" : "Unix";
      const message = `The ${what} is the script ${quoted(finding.present)}, which runs on ${elsewhere} only.`;
      const hint =
        finding.usable === null
          ? "Add a script of the same name for this platform."
          : "Leave out the extension: each platform then runs its own script.";
      const fix = finding.usable === null ? null : ({ kind: "word", by: stemOf(written) } as const);
      return { ...where, severity, message, hint, fix };
    }
  }
}

/** `name` with an extension if `written` has one. */
function nameLike(written: string, name: string): string {
  return extensionOf(written) === null ? stemOf(name) : name;
}

function nameOf({ by, rule }: OutlinedMove): string {
  if (by === "on_error" || by === "on_context") return by;
  return rule === null ? `<${by}>` : "this rule";
}
