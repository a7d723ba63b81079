import {
  type OutlinedMove,
  possibleMoves,
  type ReadState,
} from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { dropsFrames, type MoveKind, moveKind, stateOf } from "../moves.ts";

/** A level of execution: an agent from its first state, or a call until it returns. */
export interface Level {
  readonly kind: "main" | "worker" | "called";
  /** Its first state. */
  readonly root: StateName;
  /** In the order in which they were found. */
  readonly states: ReadonlySet<StateName>;
  /** The states that can end it with a result. */
  readonly results: ReadonlySet<StateName>;
  /** The states that receive its result: return states of a call, joins of a worker. */
  readonly returnsTo: ReadonlySet<StateName>;
}

/** The levels of a workflow that starts at one of `entries`, as far as its files show it. */
export function levelsOf(
  states: ReadonlyMap<StateName, ReadState>,
  entries: readonly StateName[],
): readonly Level[] {
  return new LevelSearch(states).run(entries);
}

interface FoundLevel extends Level {
  readonly states: Set<StateName>;
  readonly results: Set<StateName>;
  readonly returnsTo: Set<StateName>;
  /** Of a call: the agents that can make it. Otherwise the level itself. */
  readonly agents: Set<FoundLevel>;
  /** Of an agent: its join states, and the workers that it forks. */
  readonly joins: Set<StateName>;
  readonly workers: Set<FoundLevel>;
  /** States whose moves must still be followed. */
  pending: StateName[];
}

/** A move, reduced to its effect on levels. Computed once, because a state can be in many levels. */
interface Way {
  readonly kind: MoveKind;
  readonly target: StateName | null;
  readonly back: StateName | null;
  /** The states that the same agent can enter. */
  readonly entered: readonly StateName[];
  readonly dropsFrames: boolean;
  readonly joins: boolean;
}

function wayOf(move: OutlinedMove): Way {
  const kind = moveKind(move);
  const target = stateOf(move, "target");
  const others = move.destinations.filter(({ role }) => role !== "target" && role !== "verify");
  const entered = [kind === "way" ? target : null, ...others.map(({ state }) => state)];
  return {
    ...{ kind, target, back: stateOf(move, "return") },
    entered: entered.filter((name) => name !== null),
    ...{ dropsFrames: dropsFrames(move), joins: move.by === "join" },
  };
}

class LevelSearch {
  readonly #ways: ReadonlyMap<StateName, readonly Way[]>;
  /** By kind and root. */
  readonly #levels = new Map<string, FoundLevel>();
  readonly #waiting: FoundLevel[] = [];

  constructor(states: ReadonlyMap<StateName, ReadState>) {
    this.#ways = new Map(
      [...states].map(([name, state]) => [name, possibleMoves(state).map(wayOf)]),
    );
  }

  run(entries: readonly StateName[]): readonly Level[] {
    for (const entry of entries) this.#levelAt("main", entry);
    for (let level = this.#waiting.pop(); level !== undefined; level = this.#waiting.pop()) {
      const names = level.pending;
      level.pending = [];
      for (const name of names) {
        for (const way of this.#ways.get(name) ?? []) this.#follow(way, name, level);
      }
    }
    return [...this.#levels.values()];
  }

  #levelAt(kind: Level["kind"], root: StateName): FoundLevel {
    const known = this.#levels.get(`${kind} ${root}`);
    if (known !== undefined) return known;
    const level: FoundLevel = {
      ...{ kind, root, states: new Set(), results: new Set(), returnsTo: new Set() },
      ...{ agents: new Set(), joins: new Set(), workers: new Set(), pending: [] },
    };
    if (kind !== "called") level.agents.add(level);
    this.#levels.set(`${kind} ${root}`, level);
    this.#enter(level, root);
    return level;
  }

  #enter(level: FoundLevel, name: StateName): void {
    if (level.states.has(name)) return;
    level.states.add(name);
    if (level.pending.length === 0) this.#waiting.push(level);
    level.pending.push(name);
  }

  #addAgent(level: FoundLevel, agent: FoundLevel): void {
    if (level.agents.has(agent)) return;
    level.agents.add(agent);
    // The states of the level also affect the new agent.
    if (level.pending.length === 0) this.#waiting.push(level);
    level.pending = [...level.states];
  }

  #follow(way: Way, from: StateName, level: FoundLevel): void {
    const { kind, target, back } = way;
    for (const name of way.entered) {
      for (const one of way.dropsFrames ? level.agents : [level]) this.#enter(one, name);
    }
    if (kind === "end") level.results.add(from);
    if (target === null) return;
    if (kind === "call") {
      const called = this.#levelAt("called", target);
      if (back !== null) called.returnsTo.add(back);
      for (const agent of level.agents) this.#addAgent(called, agent);
    }
    if (kind === "start") {
      const worker = this.#levelAt("worker", target);
      for (const agent of level.agents) {
        agent.workers.add(worker);
        for (const join of agent.joins) worker.returnsTo.add(join);
      }
    }
    if (!way.joins) return;
    for (const agent of level.agents) {
      agent.joins.add(target);
      for (const worker of agent.workers) worker.returnsTo.add(target);
    }
  }
}
