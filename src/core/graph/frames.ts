import type { OutlinedMove, ReadState } from "../outline/outline.ts";
import { possibleMoves } from "../outline/reach.ts";
import type { StateName } from "../protocol/transition.ts";
import { destinationAs, dropsCallers, flowOf, waitsForWorkers } from "./flow.ts";

/**
 * A level of execution: an agent from where it begins, or what it has called,
 * until that gives its result.
 */
export interface Level {
  readonly kind: "main" | "worker" | "called";
  /** Where it begins. */
  readonly root: StateName;
  /** What is entered in it, in the order in which it was found. */
  readonly states: ReadonlySet<StateName>;
  /** Where its result is heard: of what was called the returns, of a worker the joins. */
  readonly heard: ReadonlySet<StateName>;
}

/**
 * The levels of a workflow that begins at `entry`, as far as its files say it:
 * which states belong together, and where the results of each level go.
 */
export function levelsOf(
  states: ReadonlyMap<StateName, ReadState>,
  entry: StateName,
): readonly Level[] {
  const levels = new Map<string, Found>();
  const grown = { yes: true };
  const add = <T>(set: Set<T>, value: T): void => {
    if (!set.has(value)) grown.yes = true;
    set.add(value);
  };
  const levelAt = (kind: Level["kind"], root: StateName): Found => {
    const key = `${kind} ${root}`;
    const level = levels.get(key) ?? newLevel(kind, root);
    levels.set(key, level);
    add(level.states, root);
    return level;
  };
  levelAt("main", entry);
  while (grown.yes) {
    grown.yes = false;
    // A map may grow while it is walked, and so may a set: what is added is walked as well.
    for (const level of levels.values()) {
      if (level.kind !== "called") add(level.agents, level);
      for (const name of level.states) {
        const state = states.get(name);
        for (const move of state === undefined ? [] : possibleMoves(state)) {
          follow(move, level, levelAt, add);
        }
      }
    }
  }
  return [...levels.values()];
}

interface Found extends Level {
  readonly states: Set<StateName>;
  readonly heard: Set<StateName>;
  /** The agents that come to it: itself, or those that have called it. */
  readonly agents: Set<Found>;
  /** Of an agent: where it joins, and whom it has forked. */
  readonly joins: Set<StateName>;
  readonly workers: Set<Found>;
}

function newLevel(kind: Level["kind"], root: StateName): Found {
  return {
    ...{ kind, root, states: new Set(), heard: new Set() },
    ...{ agents: new Set(), joins: new Set(), workers: new Set() },
  };
}

function follow(
  move: OutlinedMove,
  level: Found,
  levelAt: (kind: Level["kind"], root: StateName) => Found,
  add: <T>(set: Set<T>, value: T) => void,
): void {
  const flow = flowOf(move.by);
  const target = destinationAs(move, "target")?.state ?? null;
  const stay = (name: StateName | null) => {
    if (name === null) return;
    if (!dropsCallers(move)) add(level.states, name);
    else for (const agent of level.agents) add(agent.states, name);
  };
  if (flow === "way") stay(target);
  for (const { role, state } of move.destinations) {
    if (role !== "target" && role !== "verify") stay(state);
  }
  if (target === null) return;
  switch (flow) {
    case "call": {
      const called = levelAt("called", target);
      const back = destinationAs(move, "return")?.state ?? null;
      if (back !== null) add(called.heard, back);
      for (const agent of level.agents) add(called.agents, agent);
      break;
    }
    case "start": {
      const worker = levelAt("worker", target);
      for (const agent of level.agents) {
        add(agent.workers, worker);
        for (const join of agent.joins) add(worker.heard, join);
      }
      break;
    }
    case "way":
      if (!waitsForWorkers(move.by)) break;
      for (const agent of level.agents) {
        add(agent.joins, target);
        for (const worker of agent.workers) add(worker.heard, target);
      }
      break;
    case "question":
    case "end":
      break;
  }
}
