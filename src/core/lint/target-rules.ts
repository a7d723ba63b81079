import type { Destination, OutlinedMove, ReadState } from "../outline/outline.ts";
import { findState } from "../workflow/find-state.ts";
import { describeNearState, nearStateOf } from "../workflow/near-state.ts";
import { quoted } from "../workflow/quote.ts";
import { stateKind } from "../workflow/state-file.ts";
import { extensionOf, stemOf } from "../workflow/state-name.ts";
import type { Found } from "./finding.ts";
import { type LintRule, whereReached } from "./lint-rule.ts";
import type { Study } from "./study.ts";

/** Of the states that rules, keys and tags name. */
export const TARGET_RULES: readonly LintRule[] = [
  {
    id: "RAY201",
    severity: "error",
    title: "a state that does not exist",
    check: (study) => badTargets(study, "unknown"),
  },
  {
    id: "RAY202",
    severity: "error",
    title: "a name that could be two states",
    check: (study) => badTargets(study, "ambiguous"),
  },
  {
    id: "RAY203",
    severity: "error",
    title: "a state that this platform cannot run",
    check: (study) => badTargets(study, "wrong-platform"),
  },
  {
    id: "RAY204",
    severity: "error",
    title: "a gate that is a prompt",
    check: (study) =>
      study.states.flatMap((state) =>
        state.moves.flatMap(({ at, destinations }) => {
          const gate = destinations.find(({ role }) => role === "verify");
          const { state: name, written } = gate ?? { state: null, written: null };
          if (name === null || stateKind(name) === "script") return [];
          const message = `The verify of this rule names ${quoted(name)}, which is a prompt.`;
          const hint = "A gate is a script, whose exit code decides.";
          const severity = whereReached(study, state);
          return [{ source: state.source, at, severity, word: written, message, hint }];
        }),
      ),
  },
  {
    id: "RAY205",
    severity: "error",
    title: "a rule that can never be met",
    check: (study) =>
      study.states.flatMap((state) => {
        const { problem, source } = state;
        if (problem?.rule !== "RAY205") return [];
        return [{ ...problem, source, severity: whereReached(study, state) }];
      }),
  },
  {
    id: "RAY206",
    severity: "warning",
    title: "a tag that lacks something",
    check: (study) =>
      study.states.flatMap(({ source, moves }) =>
        moves.flatMap(({ problem, at }) =>
          problem === null
            ? []
            : [{ source, at, message: problem, hint: "Write the tag as docs/protocol.md has it." }],
        ),
      ),
  },
  {
    id: "RAY207",
    severity: "warning",
    title: "a tag that is misspelled",
    check: ({ misspelled }) =>
      misspelled.map(({ source, at, written, meant }) => ({
        source,
        at,
        message: `${quoted(written)} is no tag; did you mean ${meant}?`,
        hint: "Tags are in lower case, and each ends with its closing tag: <goto>NEXT</goto>.",
      })),
  },
];

type Kind = ReturnType<typeof findState>["kind"];

function badTargets(study: Study, kind: Kind): readonly Found[] {
  return study.states
    .filter(({ name }) => study.reached.has(name) || !study.isDocument(name))
    .flatMap((state) =>
      state.moves.flatMap((move) =>
        move.destinations.flatMap((one) => badTarget(study, state, move, one, kind) ?? []),
      ),
    );
}

function badTarget(
  study: Study,
  state: ReadState,
  move: OutlinedMove,
  { role, written, fault }: Destination,
  kind: Kind,
): Found | null {
  if (fault === null || written === null) return null;
  const { names, platform } = study.outline;
  const finding = findState(names, written, platform);
  if (finding.kind === "found" || finding.kind !== kind) return null;
  const where = { source: state.source, at: move.at, word: written } as const;
  // What is read from prose or from a script may be an example, or come about in another way.
  const severity = move.origin === "declared" ? whereReached(study, state) : "warning";
  const what = `The ${role} ${quoted(written)} of ${nameOf(move)}`;
  switch (finding.kind) {
    case "unknown": {
      const near = nearStateOf(study.nearStates, written);
      if (near !== null) {
        const { message, hint } = describeNearState(near);
        return {
          ...where,
          severity,
          message: `${what} is no state of this workflow: ${message}`,
          hint,
        };
      }
      const guess = finding.nearest === null ? null : nameLike(written, finding.nearest);
      const ending = guess === null ? "." : `; did you mean ${guess}?`;
      const sameButCase = guess !== null && guess.toLowerCase() === written.toLowerCase();
      return {
        ...where,
        severity,
        message: `${what} is no state of this workflow${ending}`,
        hint: "Correct the name, or add the state.",
        mend: sameButCase ? { kind: "word", by: guess } : null,
      };
    }
    case "ambiguous": {
      const message = `${what} could be ${finding.candidates.join(" or ")}.`;
      return { ...where, severity, message, hint: "Name the file with its extension." };
    }
    case "wrong-platform": {
      const elsewhere = platform === "unix" ? "Windows" : "Unix";
      const message = `${what} is ${quoted(finding.present)}, which runs on ${elsewhere} only.`;
      const hint =
        finding.usable === null
          ? "Write the same script for this platform, too."
          : "Leave the extension out: then each platform takes its own.";
      const mend =
        finding.usable === null ? null : ({ kind: "word", by: stemOf(written) } as const);
      return { ...where, severity, message, hint, mend };
    }
  }
}

/** A name as it was written: with its extension, or without. */
function nameLike(written: string, name: string): string {
  return extensionOf(written) === null ? stemOf(name) : name;
}

function nameOf({ by, rule }: OutlinedMove): string {
  if (by === "on_error" || by === "on_context") return by;
  return rule === null ? `<${by}>` : "this rule";
}
