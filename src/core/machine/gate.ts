import { type Address, fullName } from "../protocol/address.ts";
import { printTransition } from "../protocol/print.ts";
import { wayOf } from "../protocol/row.ts";
import type { StateName, Transition } from "../protocol/transition.ts";
import { type StateFile, stateKind } from "../workflow/state-file.ts";

/** Transitions that were judged, and apply once their gates have passed (docs/protocol.md, "Gates"). */
export interface Gate {
  readonly transitions: readonly Transition[];
  readonly implied: boolean;
  /** What has not passed yet, in order: the first is the agent's next step. */
  readonly checks: readonly GateCheck[];
  /** How often the first was started: `RAYMOND_ATTEMPT`. */
  readonly starts: number;
}

/** A script that decides whether a transition applies. */
export interface GateCheck {
  readonly state: StateName;
  /** Runs after which the agent is not sent back once more. */
  readonly attempts: number;
  /** Where it goes then; null: it fails. */
  readonly onFail: StateName | null;
}

/** What a gate has found, as the model is told. */
export interface SentBack {
  /** How often the agent was sent back in this state, by all its gates. */
  readonly times: number;
  /** How the gate ended, as a sentence. */
  readonly problem: string;
  /** The end of what it printed. */
  readonly said: string;
}

/** An agent, as far as its next step goes. */
interface Stepping extends Address {
  readonly gate: Gate | null;
}

/** The state that the agent's step executes: its own, or the gate that it has to pass. */
export function stepState({ state, gate }: Pick<Stepping, "state" | "gate">): StateName {
  return gate?.checks[0]?.state ?? state;
}

/** The full name of that state. */
export function stepName(agent: Stepping): string {
  return fullName({ workflow: agent.workflow, state: stepState(agent) });
}

/** The kind of that state. */
export function stepKind(agent: Pick<Stepping, "state" | "gate">): StateFile["kind"] {
  return stateKind(stepState(agent));
}

/** The tags that wait for the gate, as `RAYMOND_TRANSITION` has them. */
export function printGated({ transitions }: Gate): string {
  return transitions.map(printTransition).join("\n");
}

/** The payload that the way on would give: the gate sees it as its own. */
export function gatedPayload({ transitions }: Gate): string | null {
  const way = wayOf(transitions);
  if (way.tag === "result") return way.payload;
  // What a person will answer is not known yet.
  if (way.tag === "ask") return null;
  return "input" in way ? (way.input ?? null) : null;
}
