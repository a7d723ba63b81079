import type { TracedMove } from "../analysis/graph/graph.ts";
import type { Event, EventType } from "../machine/model/event.ts";
import { parseLogLine } from "./codec/logged-event.ts";

/** The path of a run through its workflow, by its event log. */
export interface Traversal {
  readonly trips: readonly TracedMove[];
  /** How often each state was entered, or a gate was run, by full name. */
  readonly visits: ReadonlyMap<string, number>;
}

/** Skips torn and unknown lines. */
export function readTraversal(log: string): Traversal {
  const reader = traversalReader();
  for (const line of log.split("\n")) reader.read(line);
  return reader.result();
}

export interface TraversalReader {
  read(line: string): void;
  result(): Traversal;
}

export function traversalReader(): TraversalReader {
  const trips = new Map<string, TracedMove>();
  const visits = new Map<string, number>();
  /** The last state that each agent left: a fork follows the move that made it. */
  const lastState = new Map<string, string>();
  const add = (trip: TracedMove): void => {
    const key = JSON.stringify({ ...trip, times: 0 });
    trips.set(key, { ...trip, times: (trips.get(key)?.times ?? 0) + 1 });
  };
  const read = (line: string): void => {
    if (!/^\{"type":"(?:agent\.|step\.started")/.test(line)) return;
    const event = parseLogLine(line)?.event;
    if (event === undefined || !("agent" in event)) return;
    if (event.type === "step.started" && event.attempt === 1) {
      visits.set(event.state, (visits.get(event.state) ?? 0) + 1);
    }
    const find = TRIPS[event.type] as Find<Event> | undefined;
    const trip = find?.(event, lastState.get(event.agent) ?? null);
    if ("from" in event) lastState.set(event.agent, event.from);
    if (trip) add(trip);
  };
  return { read, result: () => ({ trips: [...trips.values()], visits: new Map(visits) }) };
}

type Find<E> = (event: E, parent: string | null) => TracedMove | null;

const TRIPS: { readonly [T in EventType]?: Find<Extract<Event, { readonly type: T }>> } = {
  // An `ask` moves its agent at the answer or the timeout.
  "agent.moved": ({ from, to, transition }) =>
    transition.tag === "ask" ? null : { kind: "moved", from, to, times: 1 },
  "agent.diverted": ({ from, to }) => ({ kind: "moved", from, to, times: 1 }),
  "agent.answered": ({ state: to }, from) =>
    from === null ? null : { kind: "moved", from, to, times: 1 },
  "agent.unanswered": ({ state: to }, from) =>
    from === null ? null : { kind: "moved", from, to, times: 1 },
  "agent.forked": ({ state: to }, from) =>
    from === null ? null : { kind: "forked", from, to, times: 1 },
  "agent.sent-back": ({ state: from, gate: to }) => ({ kind: "refused", from, to, times: 1 }),
  "agent.ended": ({ state: from, agent }) => ({
    kind: "end",
    from,
    worker: agent !== "main",
    times: 1,
  }),
};
