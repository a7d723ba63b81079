import type { Position } from "../../language/basics/place.ts";
import { type Outline, type ReadState, reachableFrom } from "../../language/outline/outline.ts";
import { printTransition } from "../../language/protocol/print.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { transitionOfRule } from "../../language/workflow/policy/policy.ts";
import type { Happened } from "./happened.ts";
import {
  type Detour,
  declaredMoves,
  isDetour,
  transitionKey,
  usedTransitions,
} from "./used-transitions.ts";

export interface Coverage {
  readonly states: Covered<StateName>;
  /** Transitions that rules and keys declare, without those that scripts and prose mention. */
  readonly transitions: Covered<DeclaredTransition>;
}

export interface Covered<Item> {
  readonly total: number;
  readonly missing: readonly Item[];
}

export interface DeclaredTransition {
  readonly from: StateName;
  /** The file and position to fix. */
  readonly source: string;
  readonly at: Position;
  /** The tag, or the key with its state. */
  readonly words: string;
}

/**
 * The coverage of everything that is reachable from the first states of the workflow and its tests
 * (without a first state: of all states).
 */
export function coverageOf(outline: Outline, runs: readonly Happened[]): Coverage {
  const visited = new Set(runs.flatMap(({ attempts }) => attempts.map(({ state }) => state)));
  const begins = runs.map(({ run }) => run.workflow.entry);
  const from = outline.entry.ok
    ? [outline.entry.name, ...begins]
    : outline.states.map(({ name }) => name);
  const reachable = reachableFrom(outline.states, [...from, ...visited]);
  const counted = outline.states.filter(({ name }) => reachable.has(name));
  const states = counted.map(({ name }) => name);
  const readable = counted.filter((state) => state.ok);
  const declared = readable.flatMap((state) => transitionsOf(state));
  const used = new Set(runs.flatMap((run) => usedTransitions(run, readable, outline)));
  return {
    states: covered(states, (name) => visited.has(name)),
    transitions: covered(declared, ({ key }) => used.has(key)),
  };
}

function covered<Item>(all: readonly Item[], isCovered: (item: Item) => boolean): Covered<Item> {
  return { total: all.length, missing: all.filter((item) => !isCovered(item)) };
}

interface KeyedTransition extends DeclaredTransition {
  readonly key: string;
}

function transitionsOf({ name, source, moves }: ReadState): readonly KeyedTransition[] {
  return declaredMoves(moves).flatMap((move, index) => {
    const tag = move.rule === null ? null : printTransition(transitionOfRule(move.rule));
    const target = move.destinations[0]?.written ?? "";
    const transition = (words: string, detour: Detour | null): KeyedTransition => {
      return { from: name, source, at: move.at, words, key: transitionKey(name, index, detour) };
    };
    return [
      transition(tag ?? `${move.by}: ${target}`, null),
      ...move.destinations.flatMap(({ role, written }) =>
        isDetour(role) ? [transition(`${role}: ${written ?? ""} of ${tag ?? ""}`, role)] : [],
      ),
    ];
  });
}
