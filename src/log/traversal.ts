import * as z from "zod/mini";
import type { TracedMove } from "../analysis/graph/graph.ts";

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
    const event = parse(line);
    if (event === null) return;
    const { type, agent, from, to, state, gate } = event;
    if (type === "step.started") {
      if (state !== undefined && event.attempt === 1) {
        visits.set(state, (visits.get(state) ?? 0) + 1);
      }
      return;
    }
    if (from !== undefined) lastState.set(agent, from);
    // An `ask` moves its agent at the answer or the timeout.
    const asks = event.transition?.tag === "ask";
    if (from !== undefined && to !== undefined && !asks) add({ kind: "moved", from, to, times: 1 });
    if (state === undefined) return;
    const parent = lastState.get(agent);
    const isAnswered = type === "agent.answered" || type === "agent.unanswered";
    if (isAnswered && parent !== undefined)
      add({ kind: "moved", from: parent, to: state, times: 1 });
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
  return { read, result: () => ({ trips: [...trips.values()], visits: new Map(visits) }) };
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
