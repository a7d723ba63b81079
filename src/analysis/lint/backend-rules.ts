import { TOP } from "../../language/basics/place.ts";
import type { OutlinedMove, ReadState } from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { didYouMean, listed, quoted } from "../../language/workflow/quote.ts";
import { otherOwner } from "../../machine/backends/owner-problem.ts";
import { continuedStates, freshStates, isPromptSent } from "./conversation-moves.ts";
import type { Found } from "./finding.ts";
import { type LintContext, type LintRule, severityIfReached } from "./lint-context.ts";

export const BACKEND_RULES: readonly LintRule[] = [
  {
    id: "RAY607",
    severity: "error",
    title: "conversation continued by another agent",
    check: otherOwners,
  },
  {
    id: "RAY608",
    severity: "error",
    title: "unknown agent",
    check: unknownAgents,
  },
];

/** A coding agent that may have the conversation of an agent; null: there is no conversation yet. */
type Owner = string | null;

function otherOwners(context: LintContext): readonly Found[] {
  const { states, reached, movesOf } = context;
  if (states.every(({ file }) => file.kind === "script" || file.agents === null)) return [];
  const owners = ownersOf(context);
  const byName = new Map(states.map((state) => [state.name, state]));
  return states
    .filter(({ name }) => reached.has(name))
    .flatMap((state) => {
      const reported = new Set<StateName>();
      return movesOf(state).flatMap((move) => {
        const before = [...passedOn(state, move, owners, context)];
        return continuedStates(move).flatMap((target): readonly Found[] => {
          const file = byName.get(target)?.file;
          if (file?.kind !== "prompt" || file.agents === null || reported.has(target)) return [];
          const { agents } = file;
          const others = before.filter((one) => one !== null && !agents.includes(one));
          if (others.length === 0) return [];
          reported.add(target);
          const problem = otherOwner(
            target,
            agents,
            others.filter((one) => one !== null),
          );
          // A tag in a text may be an example.
          const isSure = others.length === before.length && move.origin === "declared";
          const word = move.destinations.find((one) => one.state === target)?.written ?? null;
          const severity = isSure ? "error" : "warning";
          return [{ source: state.source, at: move.at, word, severity, ...problem }];
        });
      });
    });
}

/** By state, the possible owners of the conversation when it is entered. */
function ownersOf(context: LintContext): ReadonlyMap<StateName, ReadonlySet<Owner>> {
  const { states, reached, movesOf, outline } = context;
  const byName = new Map(states.map((state) => [state.name, state]));
  const found = new Map<StateName, Set<Owner>>();
  const waiting = new Set<StateName>();
  const enter = (name: StateName, owners: Iterable<Owner>): void => {
    const known = found.get(name) ?? new Set();
    const before = known.size;
    for (const one of owners) known.add(one);
    found.set(name, known);
    if (known.size > before) waiting.add(name);
  };
  if (outline.entry.ok) enter(outline.entry.name, [null]);
  for (const state of states) {
    for (const move of movesOf(state)) for (const fresh of freshStates(move)) enter(fresh, [null]);
  }
  // Iterating over a Set also visits elements that are added again during the iteration.
  for (const name of waiting) {
    waiting.delete(name);
    const state = byName.get(name);
    if (state === undefined || !reached.has(name)) continue;
    for (const move of movesOf(state)) {
      const passed = passedOn(state, move, found, context);
      for (const target of continuedStates(move)) enter(target, passed);
    }
  }
  return found;
}

/** The possible owners of the conversation that a move passes on. */
function passedOn(
  { name, file }: ReadState,
  move: OutlinedMove,
  owners: ReadonlyMap<StateName, ReadonlySet<Owner>>,
  context: LintContext,
): ReadonlySet<Owner> {
  const entered = owners.get(name) ?? new Set();
  if (file.kind === "script" || !isPromptSent(file, move)) return entered;
  const { agents } = file;
  const kept = [...entered].filter((one) => one !== null && agents?.includes(one) !== false);
  return new Set([...kept, ...(entered.has(null) ? (agents ?? usualAgents(context)) : [])]);
}

/** Those of states that name none. */
function usualAgents({ manifest, agents: { usual } }: LintContext): readonly string[] {
  return "message" in manifest ? usual : (manifest.defaults.agent ?? usual);
}

function unknownAgents(context: LintContext): readonly Found[] {
  const { states, manifest, manifestSource } = context;
  const known = context.agents.known.map(({ name }) => name);
  const find = (source: string, names: readonly string[]): readonly Found[] =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => ({
        ...{ source, at: TOP, word: name },
        message: `Unknown coding agent ${quoted(name)}.`,
        hint: `${didYouMean(name, known)}This version of raymond has ${listed(known)}.`,
      }));
  const inStates = states.flatMap((state): readonly Found[] => {
    if (state.file.kind === "script") return [];
    const severity = severityIfReached(context, state);
    return find(state.source, state.file.agents ?? []).map((one) => ({ ...one, severity }));
  });
  const named = "message" in manifest ? [] : (manifest.defaults.agent ?? []);
  return [...inStates, ...find(manifestSource, named)];
}
