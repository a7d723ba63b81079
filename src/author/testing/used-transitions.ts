import type { Outline, OutlinedMove, ReadState, Role } from "../../language/outline/outline.ts";
import { continuationOf } from "../../language/protocol/output-elements.ts";
import { isStart, type StateName, type Transition } from "../../language/protocol/transition.ts";
import { matchingRule } from "../../language/workflow/policy/policy.ts";
import type { Rule } from "../../language/workflow/policy/rule.ts";
import type { Decision } from "../../machine/decide/decision.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { Fact, Happened } from "./happened.ts";

/** A transition of a rule in addition to the one of its tag. */
export type Detour = Extract<Role, "on_fail" | "timeout_next">;

export function isDetour(role: Role): role is Detour {
  return role === "on_fail" || role === "timeout_next";
}

/** Identifies a declared transition: `index` is its number in the state. */
export function transitionKey(state: StateName, index: number, detour: Detour | null): string {
  return JSON.stringify([state, index, detour]);
}

export function declaredMoves(moves: readonly OutlinedMove[]): readonly OutlinedMove[] {
  return moves.filter(({ origin }) => origin === "declared");
}

/** Keys of the declared transitions that a run has used. */
export function usedTransitions(
  { log, attempts }: Pick<Happened, "log" | "attempts">,
  states: readonly ReadState[],
  workflow: Pick<Outline, "names" | "platform">,
): readonly string[] {
  const tracker = new PathTracker(states, workflow);
  const stateOf = new Map(attempts.map(({ process, state }) => [process, state]));
  return log.flatMap((fact) => {
    if (fact.type !== "ended") return tracker.add(fact);
    const from = stateOf.get(fact.process);
    return from === undefined ? [] : tracker.ended(fact.agent, from, fact.decision);
  });
}

/** A requested transition of an agent. */
interface RequestedMove {
  readonly from: StateName;
  /** Indexes of the rules that allow it. */
  readonly rules: readonly number[];
  /** Number of gates left. */
  readonly gates: number;
}

/** Follows the agents of a run: a gate or a join decides later. */
class PathTracker {
  readonly #states: ReadonlyMap<StateName, ReadState>;
  readonly #workflow: Pick<Outline, "names" | "platform">;
  readonly #requested = new Map<AgentId, RequestedMove>();

  constructor(states: readonly ReadState[], workflow: Pick<Outline, "names" | "platform">) {
    this.#states = new Map(states.map((state) => [state.name, state]));
    this.#workflow = workflow;
  }

  add(fact: Exclude<Fact, { type: "ended" }>): readonly string[] {
    if (fact.type === "agent.joined" && fact.late) return this.#detour(fact.agent, "timeout_next");
    if (fact.type !== "agent.diverted") return [];
    const { agent, from, by } = fact;
    if (by === "on_fail") return this.#detour(agent, by);
    const index = declaredMoves(this.#states.get(from)?.moves ?? []).findIndex(
      (move) => move.by === by,
    );
    return index === -1 ? [] : [transitionKey(from, index, null)];
  }

  ended(agent: AgentId, from: StateName, decision: Decision): readonly string[] {
    if (decision.kind === "move") {
      const rules = this.#rulesOf(from, decision.transitions);
      return this.#moved(agent, { from, rules, gates: 0 });
    }
    if (decision.kind === "verify") {
      const { transitions, checks } = decision.gate;
      const rules = this.#rulesOf(from, transitions);
      this.#requested.set(agent, { from, rules, gates: checks.length });
    }
    const requested = decision.kind === "pass" ? this.#requested.get(agent) : undefined;
    if (requested === undefined) return [];
    return this.#moved(agent, { ...requested, gates: requested.gates - 1 });
  }

  #moved(agent: AgentId, move: RequestedMove): readonly string[] {
    this.#requested.set(agent, move);
    if (move.gates > 0) return [];
    return move.rules.map((index) => transitionKey(move.from, index, null));
  }

  #detour(agent: AgentId, detour: Detour): readonly string[] {
    const { from = "", rules = [] } = this.#requested.get(agent) ?? {};
    return rules.map((index) => transitionKey(from, index, detour));
  }

  /** Rules come first among the declared moves, so their indexes are equal. */
  #rulesOf(from: StateName, transitions: readonly Transition[]): readonly number[] {
    const file = this.#states.get(from)?.file;
    if (file?.kind !== "prompt" || file.rules === null) return [];
    const { names, platform } = this.#workflow;
    const way = continuationOf(transitions);
    const next = way.tag === "goto" ? way.target : undefined;
    return transitions.flatMap((one) => {
      const asked = isStart(one) && next !== undefined ? { ...one, next } : one;
      const index = (file.rules ?? []).findIndex(
        (rule) => matchingRule([rule], withFolderOf(rule, asked), names, platform) !== null,
      );
      return index === -1 ? [] : [index];
    });
  }
}

/** A resolved folder differs from the written one. */
function withFolderOf({ attributes }: Rule, transition: Transition): Transition {
  const { cd } = attributes;
  return "cd" in transition && cd !== undefined && cd !== "" ? { ...transition, cd } : transition;
}
