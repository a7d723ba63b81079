import { backendProblem } from "../machine/backend-problem.ts";
import { nearest } from "../nearest.ts";
import type { OutlinedMove, PlacedName, ReadState } from "../outline/outline.ts";
import { placesIn } from "../outline/places.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Found } from "./finding.ts";
import { isFork, stateOf } from "./flow.ts";
import { type LintRule, whereReached } from "./lint-rule.ts";
import type { Study } from "./study.ts";
import { warnedOf } from "./workflow-rules.ts";

/** Of what stands in prompts, and of who is to answer them. */
export const PROMPT_RULES: readonly LintRule[] = [
  {
    id: "RAY601",
    severity: "warning",
    title: "a placeholder that nothing fills",
    check: unfilled,
  },
  {
    id: "RAY602",
    severity: "warning",
    title: "a secret in a prompt",
    check: ({ states }) =>
      states.flatMap(({ file, source }) => {
        if (file.kind === "script") return [];
        const placeOf = placesIn(file);
        return SECRETS.flatMap(([what, pattern]) =>
          [...file.body.matchAll(pattern)].map(({ index }) => ({
            source,
            at: placeOf(index),
            hidden: true,
            message: `This looks like ${what}, and whoever sees the prompt sees it.`,
            hint: "Take it out, and change it where it is valid: a script can read it from the environment.",
          })),
        );
      }),
  },
  {
    id: "RAY603",
    severity: "error",
    title: "what the backend cannot do",
    check: (study) => {
      const { outline, backend } = study;
      return study.states.flatMap((state) => {
        if (state.file.kind === "script") return [];
        const { names, platform } = outline;
        const problem = backendProblem(state.file, names, platform, NO_LISTS, backend);
        if (problem === null) return [];
        return [{ ...problem, source: state.source, severity: whereReached(study, state) }];
      });
    },
  },
  {
    id: "RAY604",
    severity: "warning",
    title: "a model that is not known",
    check: (study) => warnedOf(study, "RAY604"),
  },
];

const NO_LISTS = { tools: null, allowedTools: null, disallowedTools: null } as const;

/** By how they begin, which is made to be recognized. */
const SECRETS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/g],
  ["an API key", /\b(?:sk|rk)-(?:[a-z0-9]+-)*[A-Za-z0-9_]{20,}/g],
  ["an API key", /\bAIza[\w-]{35}\b/g],
  ["an access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["an access token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22,}|glpat-[\w-]{20,})/g],
  ["an access token", /\bxox[abprs]-[A-Za-z0-9-]{10,}/g],
];

/** What every prompt can name. */
const ALWAYS = ["workflow_id", "agent_id", "state_dir"] as const;
const PAYLOAD: ReadonlySet<string> = new Set(["result", "input"]);

function unfilled(study: Study): readonly Found[] {
  const { states, reached, isWhole } = study;
  if (!isWhole) return [];
  const given = givenNames(study);
  const entered = enteredWith(study);
  return states
    .filter(({ name }) => reached.has(name))
    .flatMap((state) => {
      const names = given.get(state.name) ?? new Set<string>();
      const values = entered.get(state.name) ?? new Set<string>();
      return state.placeholders
        .filter(({ name }) => !names.has(name) && !values.has(name))
        .map((placeholder) => message(state, placeholder, [...names, ...values]));
    });
}

function message(
  { source, name: state }: ReadState,
  { name, at }: PlacedName,
  known: readonly string[],
): Found {
  const where = { source, at };
  if (PAYLOAD.has(name)) {
    return {
      ...where,
      message: `Nothing that leads to ${state} gives it a payload, so {{${name}}} stays as it is.`,
      hint: "Come here by the return of a call, or by a tag with input.",
    };
  }
  const guess = nearest(name, known);
  return {
    ...where,
    message: `Nothing gives {{${name}}} a value${guess === null ? "." : `; did you mean {{${guess}}}?`}`,
    hint: "Give it as an attribute of the fork, declare it in vars of workflow.yaml, or name it by --var.",
  };
}

/** By state, the attributes of the agents that come there. */
function givenNames(study: Study): ReadonlyMap<StateName, ReadonlySet<string>> {
  const { manifest, variables, outline, flow, states, movesOf } = study;
  const declared = "message" in manifest ? [] : manifest.vars.map(({ name }) => name);
  const found = new Map<StateName, Set<string>>();
  const give = (from: StateName, names: readonly string[]) => {
    for (const state of [from, ...flow.beyond(from)]) {
      const known = found.get(state) ?? new Set<string>(ALWAYS);
      for (const name of names) known.add(name);
      found.set(state, known);
    }
  };
  const first = outline.entry.ok ? [outline.entry.name] : outline.names;
  for (const name of first) give(name, [...declared, ...variables]);
  for (const move of states.flatMap(movesOf).filter(isFork)) {
    const worker = stateOf(move, "target");
    if (worker !== null) give(worker, Object.keys(move.values));
  }
  return found;
}

/** By state, the values of the one step with which some move leads there. */
function enteredWith({
  outline,
  states,
  movesOf,
}: Study): ReadonlyMap<StateName, ReadonlySet<string>> {
  const found = new Map<StateName, Set<string>>();
  const give = (state: StateName | null, names: Iterable<string>) => {
    if (state === null) return;
    const known = found.get(state) ?? new Set<string>();
    for (const name of names) known.add(name);
    found.set(state, known);
  };
  for (const name of outline.entry.ok ? [outline.entry.name] : outline.names) give(name, PAYLOAD);
  for (const move of states.flatMap(movesOf)) {
    for (const { role, state } of move.destinations) {
      // What goes on beside a worker is given nothing; a person's answer is.
      const isBeside = role === "next" && isFork(move);
      if (!isBeside && role !== "verify") give(state, payloadOf(move, role));
    }
    if (move.by === "on_context") give(stateOf(move, "target"), ["state"]);
  }
  return found;
}

/** What a state is handed that such a move enters in this role. */
function payloadOf(move: OutlinedMove, role: string): Iterable<string> {
  if (role !== "target") return PAYLOAD;
  const handed = "input" in move.values || !GIVES_NONE.has(move.by);
  return handed ? PAYLOAD : [];
}

/** Tags that give their target a payload only by `input`. */
const GIVES_NONE: ReadonlySet<OutlinedMove["by"]> = new Set([
  "goto",
  "reset",
  "call",
  "function",
  "fork",
]);
