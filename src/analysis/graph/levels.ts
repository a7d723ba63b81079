import type { OutlinedMove, ReadState } from "../../language/outline/outline.ts";
import { possibleMoves } from "../../language/outline/reach.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { destinationAs, dropsCallers, type Flow, flowOf, waitsForWorkers } from "./flow.ts";

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
  /** Those of them that may give its result. */
  readonly results: ReadonlySet<StateName>;
  /** Where its result is heard: of what was called the returns, of a worker the joins. */
  readonly returnsTo: ReadonlySet<StateName>;
}

/**
 * The levels of a workflow that begins at one of `entries`, as far as its files say it:
 * which states belong together, and where the results of each level go.
 */
export function levelsOf(
  states: ReadonlyMap<StateName, ReadState>,
  entries: readonly StateName[],
): readonly Level[] {
  const ways = new Map([...states].map(([name, state]) => [name, possibleMoves(state).map(wayOf)]));
  const levels: Found[] = [];
  const known: Readonly<Record<Level["kind"], Map<StateName, Found>>> = {
    main: new Map(),
    worker: new Map(),
    called: new Map(),
  };
  const waiting: Found[] = [];
  const enter = (level: Found, name: StateName): void => {
    if (level.states.has(name)) return;
    level.states.add(name);
    if (level.pending.length === 0) waiting.push(level);
    level.pending.push(name);
  };
  const levelAt = (kind: Level["kind"], root: StateName): Found => {
    const there = known[kind].get(root);
    if (there !== undefined) return there;
    const level = newLevel(kind, root);
    known[kind].set(root, level);
    levels.push(level);
    enter(level, root);
    return level;
  };
  const come = (level: Found, agent: Found): void => {
    if (level.agents.has(agent)) return;
    level.agents.add(agent);
    // What its states do to those that come to it is to be done to this one as well.
    if (level.pending.length === 0) waiting.push(level);
    level.pending = [...level.states];
  };
  for (const entry of entries) levelAt("main", entry);
  for (let level = waiting.pop(); level !== undefined; level = waiting.pop()) {
    const names = level.pending;
    level.pending = [];
    for (const name of names) {
      for (const way of ways.get(name) ?? []) follow(way, name, level, { enter, levelAt, come });
    }
  }
  return levels;
}

interface Found extends Level {
  readonly states: Set<StateName>;
  readonly results: Set<StateName>;
  readonly returnsTo: Set<StateName>;
  /** The agents that come to it: itself, or those that have called it. */
  readonly agents: Set<Found>;
  /** Of an agent: where it joins, and whom it has forked. */
  readonly joins: Set<StateName>;
  readonly workers: Set<Found>;
  /** States whose moves are to be followed yet. */
  pending: StateName[];
}

/** What following a move may do. */
interface Steps {
  readonly enter: (level: Found, name: StateName) => void;
  readonly levelAt: (kind: Level["kind"], root: StateName) => Found;
  readonly come: (level: Found, agent: Found) => void;
}

function newLevel(kind: Level["kind"], root: StateName): Found {
  const level: Found = {
    ...{ kind, root, states: new Set(), results: new Set(), returnsTo: new Set() },
    ...{ agents: new Set(), joins: new Set(), workers: new Set(), pending: [] },
  };
  if (kind !== "called") level.agents.add(level);
  return level;
}

/** What of a move matters here; found once, for a state may be in many levels. */
interface Way {
  readonly flow: Flow;
  readonly target: StateName | null;
  readonly back: StateName | null;
  /** What the agent itself may enter by it. */
  readonly entered: readonly StateName[];
  readonly drops: boolean;
  readonly waits: boolean;
}

function wayOf(move: OutlinedMove): Way {
  const flow = flowOf(move.by);
  const target = destinationAs(move, "target")?.state ?? null;
  const others = move.destinations.filter(({ role }) => role !== "target" && role !== "verify");
  const named = [flow === "way" ? target : null, ...others.map(({ state }) => state)];
  return {
    ...{ flow, target, back: destinationAs(move, "return")?.state ?? null },
    entered: named.filter((name) => name !== null),
    ...{ drops: dropsCallers(move), waits: waitsForWorkers(move.by) },
  };
}

function follow(way: Way, from: StateName, level: Found, { enter, levelAt, come }: Steps): void {
  const { flow, target, back, entered, drops, waits } = way;
  for (const name of entered) {
    if (!drops) enter(level, name);
    else for (const agent of level.agents) enter(agent, name);
  }
  if (flow === "end") level.results.add(from);
  if (target === null) return;
  if (flow === "call") {
    const called = levelAt("called", target);
    if (back !== null) called.returnsTo.add(back);
    for (const agent of level.agents) come(called, agent);
  }
  if (flow === "start") {
    const worker = levelAt("worker", target);
    for (const agent of level.agents) {
      agent.workers.add(worker);
      for (const join of agent.joins) worker.returnsTo.add(join);
    }
  }
  if (!waits) return;
  for (const agent of level.agents) {
    agent.joins.add(target);
    for (const worker of agent.workers) worker.returnsTo.add(target);
  }
}
