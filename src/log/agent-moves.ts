import type { AgentId } from "../machine/model/agent.ts";
import type { Event, EventType } from "../machine/model/event.ts";
import type { LoggedStep } from "./logged-steps.ts";

/** A step that moved or ended its agent. */
export interface AgentMove {
  readonly step: number;
  readonly state: string;
  /** The move without its payload, comparable between runs: `goto FIX.md`. */
  readonly way: string;
}

/** The first different step of an agent in two runs. */
export interface RunsDivergence {
  readonly agent: AgentId;
  /** Number of equal steps before. */
  readonly same: number;
  /** Null if it has no further steps. */
  readonly left: AgentMove | null;
  readonly right: AgentMove | null;
  /** The moves before and after it. */
  readonly around: { readonly left: readonly AgentMove[]; readonly right: readonly AgentMove[] };
}

/** The moves of each agent in order, without retries, reminders and interrupted steps. */
export function movesByAgent(
  steps: readonly LoggedStep[],
): ReadonlyMap<AgentId, readonly AgentMove[]> {
  const moves = new Map<AgentId, AgentMove[]>();
  for (const { started, after } of steps) {
    const { agent, state, process: step } = started.event;
    const words = after.flatMap(({ event }) => wordsOf(event) ?? []);
    if (words.length === 0) continue;
    const taken = { step, state, way: words.join(", ") };
    const known = moves.get(agent);
    if (known === undefined) moves.set(agent, [taken]);
    else known.push(taken);
  }
  return moves;
}

function wordsOf(event: Event): string | null {
  const words = WORDS[event.type] as ((event: Event) => string) | undefined;
  return words?.(event) ?? null;
}

const WORDS: { readonly [T in EventType]?: (event: Extract<Event, { type: T }>) => string } = {
  "agent.moved": ({ transition, to }) => `${transition.tag} ${to}`,
  "agent.diverted": ({ by, to }) => `${by} ${to}`,
  "agent.forked": ({ worker }) => `+ ${worker}`,
  "agent.joined": ({ state }) => `joined, then ${state}`,
  "agent.answered": ({ state }) => `answered, then ${state}`,
  "agent.unanswered": ({ state }) => `not answered, then ${state}`,
  "agent.ended": ({ result }) => (result === null ? "end, with its failure reported" : "end"),
  "agent.failed": () => "failure",
};
