import {
  isOpen,
  type Outline,
  type OutlinedMove,
  type OutlinedState,
  possibleMoves,
  type ReadState,
  reachableFrom,
} from "../../language/outline/outline.ts";
import { type DeclaredPermissions, NONE_DECLARED } from "../../language/permissions/declared.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { ResolvedWorkflows } from "../../language/workflow/files/found-workflow.ts";
import type { Manifest } from "../../language/workflow/files/manifest.ts";
import type { FileProblem, RuleId } from "../../language/workflow/files/state-file.ts";
import type { StateLookalike } from "../../language/workflow/state-lookalike.ts";
import type { BackendFacts } from "../../machine/backends/backend-facts.ts";
import type { UserPermissions } from "../../machine/decide/permissions.ts";
import { isByTag } from "../moves.ts";
import type { Found, Severity } from "./finding.ts";
import { type Flow, flowOf } from "./flow.ts";
import { type MisspelledTag, misspelledTags } from "./misspelled-tags.ts";

/** Why a `workflow.yaml` is invalid. */
export interface FaultyManifest extends FileProblem {
  readonly further: readonly FileProblem[];
}

/** A workflow and its environment. */
export interface LintInput {
  readonly outline: Outline;
  readonly workflow: string;
  /** Its `workflow.yaml`, or why that is invalid. */
  readonly manifest: Manifest | FaultyManifest;
  readonly manifestSource: string;
  /** Further variables that the user passes with --var. */
  readonly variables: readonly string[];
  readonly backend: BackendFacts;
  readonly agents: LintedAgents;
  /** The permissions of the user; null: not known. */
  readonly user: UserPermissions | null;
  /** By the paths that states name. */
  readonly workflows: ResolvedWorkflows;
  /** Syntax errors of scripts. */
  readonly syntax: ReadonlyMap<StateName, FileProblem>;
  readonly lookalikes: readonly StateLookalike[];
  readonly schemas: LintedSchemas;
  /** Whether a file with this name is documentation, such as README.md. */
  readonly isDocument: (name: StateName) => boolean;
}

export interface LintedAgents {
  /** All that this raymond has. */
  readonly known: readonly BackendFacts[];
  /** Names by the settings of the user, for states that name none. */
  readonly usual: readonly string[];
}

export interface LintedSchemas {
  readonly names: readonly string[];
  /** Those that a state names and that exist. */
  readonly named: ReadonlyMap<string, LintedSchema>;
  /** The path of a schema in messages. */
  readonly source: (name: string) => string;
}

/** A schema, or its problem. */
export type LintedSchema = { readonly document: unknown } | { readonly problem: FileProblem };

/** The input of lint, and facts derived from it. */
export interface LintContext extends LintInput {
  /** The valid states. */
  readonly states: readonly ReadState[];
  /** States that an agent can enter; without scripts that are only gates. */
  readonly entered: ReadonlySet<StateName>;
  /** States that a run can reach; all states if that is unknown. */
  readonly reached: ReadonlySet<StateName>;
  /** The permissions that `workflow.yaml` declares. */
  readonly declared: DeclaredPermissions;
  /** `reached`, and states that only disallowed or misspelled tags name. */
  readonly meant: ReadonlySet<StateName>;
  /** Whether every transition of a run is known before the run. */
  readonly isComplete: boolean;
  readonly misspelled: readonly MisspelledTag[];
  readonly movesOf: (state: ReadState) => readonly OutlinedMove[];
  readonly flow: Flow;
}

export function lintContextOf(facts: LintInput): LintContext {
  const { outline } = facts;
  const states = outline.states.filter((state): state is ReadState => state.ok);
  const kept = new Map<StateName, readonly OutlinedMove[]>();
  const movesOf = (state: ReadState): readonly OutlinedMove[] => {
    const moves = kept.get(state.name) ?? possibleMoves(state);
    kept.set(state.name, moves);
    return moves;
  };
  const reachable = reachedIn(outline);
  const entered = placesOf(outline, states);
  const isSure =
    reachable?.every((state) => {
      return state.ok && !(entered.has(state.name) && leadsAnywhere(state, movesOf(state)));
    }) === true;
  const reached = new Set((isSure ? reachable : outline.states).map(({ name }) => name));
  const isWhole =
    isSure &&
    states.every((state) => !reached.has(state.name) || leadsOnlyToStates(state, movesOf));
  const shown = states
    .filter(({ name }) => reached.has(name))
    .flatMap(({ name, moves }) => moves.flatMap(namedStates).filter((one) => one !== name));
  const misspelled = states.flatMap((state) => misspelledTags(state, outline));
  const named = misspelled.flatMap(({ target }) => target ?? []);
  const meant = reachableFrom(states, [...reached, ...shown, ...named]);
  return {
    ...facts,
    declared: "message" in facts.manifest ? NONE_DECLARED : facts.manifest.permissions,
    states,
    entered,
    reached,
    meant,
    misspelled,
    isComplete: isWhole,
    movesOf,
    flow: flowOf(states, movesOf),
  };
}

/** Whether an unreachable file looks like a state: it has rules or mentions a transition. */
export function looksLikeState({ file, moves }: ReadState): boolean {
  if (file.kind === "prompt" && file.rules !== null) return true;
  return moves.length > 0;
}

/** In the order in which they are reached; null if there is no entry state. */
function reachedIn({ entry, states }: Outline): readonly OutlinedState[] | null {
  if (!entry.ok) return null;
  const byName = new Map(states.map((state) => [state.name, state]));
  return [...reachableFrom(states, [entry.name])].flatMap((name) => byName.get(name) ?? []);
}

function namedStates({ destinations }: OutlinedMove): readonly StateName[] {
  return destinations.flatMap(({ state }) => state ?? []);
}

function leadsOnlyToStates(state: ReadState, movesOf: LintContext["movesOf"]): boolean {
  return movesOf(state).every(({ destinations }) =>
    destinations.every(({ fault }) => fault === null),
  );
}

function placesOf({ entry }: Outline, states: readonly ReadState[]): ReadonlySet<StateName> {
  const named = states.flatMap(({ moves }) =>
    moves.flatMap(({ destinations }) =>
      destinations.flatMap(({ role, state }) => (role === "verify" ? [] : (state ?? []))),
    ),
  );
  return new Set([...(entry.ok ? [entry.name] : []), ...named]);
}

/** Whether the next state is known only at run time. */
function leadsAnywhere(state: ReadState, moves: readonly OutlinedMove[]): boolean {
  const open = moves.filter(isOpen);
  // A script without a tag calls a program that prints it.
  if (state.file.kind === "script") return open.length > 0 || !moves.some(isByTag);
  // The prompt may name a state that a rule leaves open.
  const named = new Set(state.moves.filter((move) => !isOpen(move)).map(({ by }) => by));
  return open.some(({ by, origin }) => origin === "mentioned" || !named.has(by));
}

/** One rule (docs/lint.md). */
export interface LintRule {
  readonly id: RuleId;
  /** The default; the check of a rule can lower it. */
  readonly severity: Severity;
  /** A noun phrase: the heading in docs/lint.md. */
  readonly title: string;
  readonly check: (context: LintContext) => readonly Found[];
}

/** An error if a run can reach the state, otherwise a warning. */
export function severityIfReached(
  { reached }: LintContext,
  { name }: Pick<OutlinedState, "name">,
): Severity {
  return reached.has(name) ? "error" : "warning";
}
