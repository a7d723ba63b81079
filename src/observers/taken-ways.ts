import type { AgentId } from "../core/machine/agent.ts";
import type { Event, EventType } from "../core/machine/event.ts";
import type { LoggedStep } from "./logged-steps.ts";

/** A step that has moved its agent, or ended it. */
export interface TakenWay {
  readonly step: number;
  readonly state: string;
  /** Where it led, in words that are the same in every run that goes there, whatever was said: `goto FIX.md`. */
  readonly way: string;
}

/** What each agent has done one after the other; retries, reminders and what was cut off are no ways. */
export function waysOf(steps: readonly LoggedStep[]): ReadonlyMap<AgentId, readonly TakenWay[]> {
  const ways = new Map<AgentId, TakenWay[]>();
  for (const { started, after } of steps) {
    const { agent, state, process: step } = started.event;
    const words = after.flatMap(({ event }) => wordsOf(event) ?? []);
    if (words.length === 0) continue;
    const taken = { step, state, way: words.join(", ") };
    const known = ways.get(agent);
    if (known === undefined) ways.set(agent, [taken]);
    else known.push(taken);
  }
  return ways;
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
