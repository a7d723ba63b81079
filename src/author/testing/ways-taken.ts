import type { Outline, OutlinedMove, ReadState, Role } from "../../language/outline/outline.ts";
import { continuationOf } from "../../language/protocol/output-elements.ts";
import { isStart, type StateName, type Transition } from "../../language/protocol/transition.ts";
import { matchingRule } from "../../language/workflow/policy/policy.ts";
import type { Rule } from "../../language/workflow/policy/rule.ts";
import type { AgentId } from "../../machine/agent.ts";
import type { Decision } from "../../machine/step/decision.ts";
import type { Fact, Happened } from "./happened.ts";

/** A way that a rule has besides the one of its tag. */
export type Detour = Extract<Role, "on_fail" | "timeout_next">;

export function isDetour(role: Role): role is Detour {
  return role === "on_fail" || role === "timeout_next";
}

/** What names one way: its state, its number among the declared moves of that, and the detour. */
export function wayKey(state: StateName, index: number, detour: Detour | null): string {
  return JSON.stringify([state, index, detour]);
}

/** The moves of a state that are declared, in the order of their numbers. */
export function declaredOf(moves: readonly OutlinedMove[]): readonly OutlinedMove[] {
  return moves.filter(({ origin }) => origin === "declared");
}

/** The keys of the declared ways that one run has taken. */
export function waysTaken(
  { log, attempts }: Pick<Happened, "log" | "attempts">,
  states: readonly ReadState[],
  workflow: Pick<Outline, "names" | "platform">,
): readonly string[] {
  const way = new Way(states, workflow);
  const stateOf = new Map(attempts.map(({ process, state }) => [process, state]));
  return log.flatMap((fact) => {
    if (fact.type !== "ended") return way.add(fact);
    const from = stateOf.get(fact.process);
    return from === undefined ? [] : way.ended(fact.agent, from, fact.decision);
  });
}

/** One move that an agent wants to make, by the rules that allow it. */
interface Wanted {
  readonly from: StateName;
  /** Numbers of the rules. */
  readonly rules: readonly number[];
  /** Gates that it has to pass still. */
  readonly gates: number;
}

/** Follows the agents of a run: what a gate or a join decides is known only later. */
class Way {
  readonly #states: ReadonlyMap<StateName, ReadState>;
  readonly #workflow: Pick<Outline, "names" | "platform">;
  readonly #wanted = new Map<AgentId, Wanted>();

  constructor(states: readonly ReadState[], workflow: Pick<Outline, "names" | "platform">) {
    this.#states = new Map(states.map((state) => [state.name, state]));
    this.#workflow = workflow;
  }

  /** What an event shows to be taken. */
  add(fact: Exclude<Fact, { type: "ended" }>): readonly string[] {
    if (fact.type === "agent.joined" && fact.late) return this.#detour(fact.agent, "timeout_next");
    if (fact.type !== "agent.diverted") return [];
    const { agent, from, by } = fact;
    if (by === "on_fail") return this.#detour(agent, by);
    const index = declaredOf(this.#states.get(from)?.moves ?? []).findIndex(
      (move) => move.by === by,
    );
    return index === -1 ? [] : [wayKey(from, index, null)];
  }

  /** What the end of an attempt shows to be taken. */
  ended(agent: AgentId, from: StateName, decision: Decision): readonly string[] {
    switch (decision.kind) {
      case "move":
        return this.#moved(agent, {
          from,
          rules: this.#rulesOf(from, decision.transitions),
          gates: 0,
        });
      case "verify": {
        const { transitions, checks } = decision.gate;
        const rules = this.#rulesOf(from, transitions);
        this.#wanted.set(agent, { from, rules, gates: checks.length });
        return [];
      }
      case "pass": {
        const wanted = this.#wanted.get(agent);
        if (wanted === undefined) return [];
        return this.#moved(agent, { ...wanted, gates: wanted.gates - 1 });
      }
      case "send-back":
      case "remind":
      case "continue":
      case "retry":
      case "divert":
      case "hand-over":
      case "halt":
      case "again":
      case "reenter":
      case "forget":
      case "limit":
      case "cancelled":
      case "fail":
        return [];
    }
  }

  #moved(agent: AgentId, wanted: Wanted): readonly string[] {
    this.#wanted.set(agent, wanted);
    if (wanted.gates > 0) return [];
    return wanted.rules.map((index) => wayKey(wanted.from, index, null));
  }

  #detour(agent: AgentId, detour: Detour): readonly string[] {
    const { from = "", rules = [] } = this.#wanted.get(agent) ?? {};
    return rules.map((index) => wayKey(from, index, detour));
  }

  /** Rules come first among what a prompt declares, so their numbers are those of the moves. */
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

/** A folder is known as it was found, and no more as it was written. */
function withFolderOf({ attributes }: Rule, transition: Transition): Transition {
  const { cd } = attributes;
  return "cd" in transition && cd !== undefined && cd !== "" ? { ...transition, cd } : transition;
}
