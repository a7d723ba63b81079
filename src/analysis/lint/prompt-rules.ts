import { nearest } from "../../language/basics/nearest.ts";
import { TOP } from "../../language/basics/place.ts";
import {
  type Outline,
  type OutlinedMove,
  type PlacedName,
  placesIn,
  type ReadState,
} from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { PromptFile } from "../../language/workflow/files/state-file.ts";
import { PAYLOAD_NAMES } from "../../language/workflow/template.ts";
import type { BackendFacts } from "../../machine/backends/backend-facts.ts";
import { backendProblem } from "../../machine/decide/backend-problem.ts";
import { refusedWarning } from "../../machine/decide/permission-warnings.ts";
import { permissionsOf, UNSET } from "../../machine/decide/permissions.ts";
import { isFork, stateOf } from "../moves.ts";
import { discardedCaches } from "./cache-rules.ts";
import { addNames, type Found } from "./finding.ts";
import { type LintContext, type LintRule, severityIfReached } from "./lint-context.ts";
import { warningRule } from "./workflow-rules.ts";

export const PROMPT_RULES: readonly LintRule[] = [
  {
    id: "RAY601",
    severity: "warning",
    title: "undefined placeholder",
    check: unfilled,
  },
  {
    id: "RAY602",
    severity: "warning",
    title: "secret in a prompt",
    check: ({ states }) =>
      states.flatMap(({ file, source }) => {
        if (file.kind === "script") return [];
        const placeOf = placesIn(file);
        return SECRETS.flatMap(([what, pattern]) =>
          [...file.body.matchAll(pattern)].map(({ index }) => ({
            source,
            at: placeOf(index),
            hidden: true,
            message: `This looks like ${what}. Everyone who can read the prompt can read it.`,
            hint: "Remove and revoke it. A script can read secrets from the environment.",
          })),
        );
      }),
  },
  {
    id: "RAY603",
    severity: "error",
    title: "not supported by the backend",
    check: (context) => {
      const { outline, declared } = context;
      return context.states.flatMap((state) => {
        const { file, source } = state;
        if (file.kind === "script") return [];
        const { names, platform } = outline;
        const { call } = permissionsOf(file, declared, context.user ?? UNSET);
        const [problem] = backendsOf(file, context).flatMap(
          (backend) => backendProblem(file, names, platform, call, backend) ?? [],
        );
        if (problem === undefined) return [];
        return [{ ...problem, source, severity: severityIfReached(context, state) }];
      });
    },
  },
  warningRule("RAY604", "unknown model or tool"),
  {
    id: "RAY605",
    severity: "warning",
    title: "conversation continued with another model or tools",
    check: discardedCaches,
  },
  {
    id: "RAY606",
    severity: "warning",
    title: "more permissions than the settings allow",
    check: ({ states, user, declared }) =>
      states.flatMap(({ file, source }) => {
        if (file.kind === "script") return [];
        const problem = refusedWarning(permissionsOf(file, declared, user ?? UNSET), user ?? UNSET);
        if (problem === null) return [];
        // Without settings of the user, the author can do nothing about it.
        const severity = user === null ? "note" : "warning";
        return [{ ...problem, severity, source, at: file.permissions.at ?? TOP }];
      }),
  },
];

/** Recognized by their prefixes. */
const SECRETS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/g],
  ["an API key", /\b(?:sk|rk)-(?:[a-z0-9]+-)*[A-Za-z0-9_]{20,}/g],
  ["an API key", /\bAIza[\w-]{35}\b/g],
  ["an access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["an access token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22,}|glpat-[\w-]{20,})/g],
  ["an access token", /\bxox[abprs]-[A-Za-z0-9-]{10,}/g],
];

/** Names that every prompt can use. */
const ALWAYS = ["workflow_id", "agent_id", "state_dir"] as const;

function unfilled(context: LintContext): readonly Found[] {
  const { states, reached, isComplete: isWhole } = context;
  if (!isWhole) return [];
  const attributes = agentNames(context);
  const entered = enteredWith(context);
  return states
    .filter(({ name }) => reached.has(name))
    .flatMap((state) => {
      const names = attributes.get(state.name) ?? new Set<string>();
      const values = entered.get(state.name) ?? new Set<string>();
      return state.placeholders
        .filter(({ root }) => !names.has(root) && !values.has(root))
        .map((placeholder) => message(state, placeholder, [...names, ...values]));
    });
}

function message(
  { source, name: state }: ReadState,
  { name, root, at }: PlacedName,
  known: readonly string[],
): Found {
  const where = { source, at };
  if (PAYLOAD_NAMES.has(root)) {
    return {
      ...where,
      message: `{{${name}}} has no value: no transition to ${state} has a payload.`,
      hint: "Enter the state as the return of a call, or with a tag that has input.",
    };
  }
  const guess = nearest(name, known);
  return {
    ...where,
    message: `Undefined placeholder {{${name}}}.${guess === null ? "" : ` Did you mean {{${guess}}}?`}`,
    hint: "Set it as an attribute of the fork, declare it in vars of workflow.yaml, or pass --var.",
  };
}

function entryStates({ entry, names }: Outline): readonly StateName[] {
  return entry.ok ? [entry.name] : names;
}

/** By state, the attributes of the agents that can reach it. */
function agentNames(context: LintContext): ReadonlyMap<StateName, ReadonlySet<string>> {
  const { manifest, variables, outline, flow, states, movesOf } = context;
  const declared = "message" in manifest ? [] : manifest.vars.map(({ name }) => name);
  const found = new Map<StateName, Set<string>>();
  const add = (from: StateName, names: readonly string[]) => {
    for (const state of [from, ...flow.beyond(from)]) addNames(found, state, [...ALWAYS, ...names]);
  };
  for (const name of entryStates(outline)) add(name, [...declared, ...variables]);
  for (const move of states.flatMap(movesOf).filter(isFork)) {
    const worker = stateOf(move, "target");
    if (worker !== null) add(worker, Object.keys(move.values));
  }
  return found;
}

/** By state, the values that some transition to it sets for its first step. */
function enteredWith({
  outline,
  states,
  movesOf,
}: LintContext): ReadonlyMap<StateName, ReadonlySet<string>> {
  const found = new Map<StateName, Set<string>>();
  for (const name of entryStates(outline)) addNames(found, name, PAYLOAD_NAMES);
  for (const move of states.flatMap(movesOf)) {
    for (const { role, state } of move.destinations) {
      // The parent that continues after a fork has no payload; an answer is a payload.
      const isParent = role === "next" && isFork(move);
      if (!isParent && role !== "verify") addNames(found, state, payloadOf(move, role));
    }
    if (move.by === "on_context") addNames(found, stateOf(move, "target"), ["state"]);
  }
  return found;
}

/** The payload names of a state that a move enters in this role. */
function payloadOf(move: OutlinedMove, role: string): Iterable<string> {
  if (role !== "target") return PAYLOAD_NAMES;
  const hasPayload = "input" in move.values || !WITHOUT_PAYLOAD.has(move.by);
  return hasPayload ? PAYLOAD_NAMES : [];
}

/** Tags whose target gets a payload only with `input`. */
const WITHOUT_PAYLOAD: ReadonlySet<OutlinedMove["by"]> = new Set([
  "goto",
  "reset",
  "call",
  "function",
  "fork",
]);

/** The coding agents that a prompt or its workflow names, else the backend of the check. */
function backendsOf(
  { agents: own }: PromptFile,
  { agents: { known }, manifest, backend }: LintContext,
): readonly BackendFacts[] {
  const named = own ?? ("message" in manifest ? undefined : manifest.defaults.agent);
  if (named === undefined) return [backend];
  return known.filter(({ name }) => named.includes(name));
}
