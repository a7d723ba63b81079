import { type Address, fullName } from "../../language/protocol/address.ts";
import { continuationOf } from "../../language/protocol/output-elements.ts";
import { printTransition } from "../../language/protocol/print.ts";
import type { StateName, Transition } from "../../language/protocol/transition.ts";
import { type StateFile, stateKind } from "../../language/workflow/files/state-file.ts";

/** Valid transitions that wait for their gates (docs/protocol.md, "Gates"). */
export interface Gate {
  /** None: the agent continues in its state (`setupBefore`). */
  readonly transitions: readonly Transition[];
  readonly implied: boolean;
  /** Gates that have not passed yet; the first is the next step. */
  readonly checks: readonly GateCheck[];
  /** Starts of the first gate: `RAYMOND_ATTEMPT`. */
  readonly starts: number;
  /** The first one prepares a worktree, and is repeated after a failure; absent: it checks a transition. */
  readonly setup?: true | undefined;
}

/** A script that decides whether a transition applies. */
export interface GateCheck {
  readonly state: StateName;
  /** Maximum runs per visit. */
  readonly attempts: number;
  /** The state to enter after the last failure; null: the agent fails. */
  readonly onFail: StateName | null;
}

/** A failed gate. */
export interface GateRejection {
  /** Failures in this visit, of all gates. */
  readonly times: number;
  /** How the gate ended, as a sentence. */
  readonly problem: string;
  /** The end of its output. */
  readonly said: string;
}

/** The script that prepares a new worktree, before the first step of an agent in this state. */
export function setupGate(setup: StateName, state: StateName, input: string | null): Gate {
  const target = { tag: "goto", target: state } as const;
  return {
    transitions: [input === null ? target : { ...target, input }],
    implied: false,
    checks: [checkOf(setup)],
    ...{ starts: 0, setup: true },
  };
}

/** The same for an agent that continues in a new worktree, with its pending gate or in its state. */
export function setupBefore(setup: StateName, pending: Gate | null): Gate {
  const { transitions = [], implied = false, checks = [] } = pending ?? {};
  return { transitions, implied, checks: [checkOf(setup), ...checks], starts: 0, setup: true };
}

function checkOf(setup: StateName): GateCheck {
  return { state: setup, attempts: 1, onFail: null };
}

interface Stepping extends Address {
  readonly gate: Gate | null;
}

/** The state of the next step: a pending gate, or the state of the agent. */
export function stepState({ state, gate }: Pick<Stepping, "state" | "gate">): StateName {
  return gate?.checks[0]?.state ?? state;
}

export function stepName(agent: Stepping): string {
  return fullName({ workflow: agent.workflow, state: stepState(agent) });
}

export function stepKind(agent: Pick<Stepping, "state" | "gate">): StateFile["kind"] {
  return stateKind(stepState(agent));
}

/** The tags that wait for the gate: `RAYMOND_TRANSITION`. */
export function printGatedTransitions({ transitions }: Gate): string {
  return transitions.map(printTransition).join("\n");
}

/** The payload of the continuation, which the gate gets too. */
export function gatedPayload({ transitions }: Gate): string | null {
  if (transitions.length === 0) return null;
  const way = continuationOf(transitions);
  if (way.tag === "result") return way.payload;
  // The answer is not known yet.
  if (way.tag === "ask") return null;
  return "input" in way ? (way.input ?? null) : null;
}
