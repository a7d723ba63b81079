import * as z from "zod/mini";
import type { Trip } from "../core/graph/travelled.ts";

/** What the event log of a run says about its path through the workflow (docs/events.md). */
export interface Travels {
  readonly trips: readonly Trip[];
  /** How often each state was entered, by its full name; of a gate how often it was run. */
  readonly visits: ReadonlyMap<string, number>;
}

/** Reads an event log; torn and unknown lines are skipped. */
export function travelsIn(log: string): Travels {
  const reader = travelReader();
  for (const line of log.split("\n")) reader.read(line);
  return reader.told();
}

/** Reads an event log line by line. */
export interface TravelReader {
  read(line: string): void;
  told(): Travels;
}

export function travelReader(): TravelReader {
  const trips = new Map<string, Trip>();
  const visits = new Map<string, number>();
  /** Where each agent came from last: a fork is told behind the move that made it. */
  const left = new Map<string, string>();
  const add = (trip: Trip): void => {
    const key = JSON.stringify({ ...trip, times: 0 });
    trips.set(key, { ...trip, times: (trips.get(key)?.times ?? 0) + 1 });
  };
  const read = (line: string): void => {
    if (!/^\{"type":"(?:agent\.|step\.started")/.test(line)) return;
    const event = parse(line);
    if (event === null) return;
    const { type, agent, from, to, state, gate } = event;
    if (type === "step.started") {
      if (state !== undefined && event.attempt === 1) {
        visits.set(state, (visits.get(state) ?? 0) + 1);
      }
      return;
    }
    if (from !== undefined) left.set(agent, from);
    // Whoever asks has moved when there is an answer, or none in time.
    const asks = event.transition?.tag === "ask";
    if (from !== undefined && to !== undefined && !asks) add({ kind: "moved", from, to, times: 1 });
    if (state === undefined) return;
    const parent = left.get(agent);
    const goesOn = type === "agent.answered" || type === "agent.unanswered";
    if (goesOn && parent !== undefined) add({ kind: "moved", from: parent, to: state, times: 1 });
    if (type === "agent.forked" && parent !== undefined) {
      add({ kind: "forked", from: parent, to: state, times: 1 });
    }
    if (type === "agent.sent-back" && gate !== undefined) {
      add({ kind: "refused", from: state, to: gate, times: 1 });
    }
    if (type === "agent.ended") {
      add({ kind: "end", from: state, worker: agent !== "main", times: 1 });
    }
  };
  return { read, told: () => ({ trips: [...trips.values()], visits: new Map(visits) }) };
}

const text = z.optional(z.string());
const lineSchema = z.looseObject({
  ...{ type: z.string(), agent: z.string() },
  ...{ from: text, to: text, state: text, gate: text },
  attempt: z.optional(z.number()),
  transition: z.optional(z.looseObject({ tag: z.string() })),
});

function parse(line: string): z.infer<typeof lineSchema> | null {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
