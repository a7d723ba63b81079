import * as z from "zod";

/** What the event log of a run tells of an agent. */
export interface AgentHistory {
  /** The state where it stood last. */
  readonly state: string;
  /** Null while it has not ended. */
  readonly result: string | null;
  /** Why it could not go on; null when it could. */
  readonly problem: string | null;
}

/** What the event log of a run tells of it: what is left to know when its state file is damaged. */
export interface RunHistory {
  /** What was named at the start; null when that line is missing. */
  readonly workflow: string | null;
  /** Moment of the last event, ISO 8601. */
  readonly until: string;
  /** Attempts that have ended. */
  readonly attempts: number;
  /** USD, as the last of them said. */
  readonly totalUsd: number;
  /** By id, in the order of their first event. */
  readonly agents: ReadonlyMap<string, AgentHistory>;
}

/**
 * Reads an event log (docs/events.md). Lines that are torn, cut or unknown are
 * passed over: the log is evidence and no state. Null when no line can be read.
 */
export function readHistory(log: string): RunHistory | null {
  const agents = new Map<string, AgentHistory>();
  let history = { workflow: null as string | null, until: "", attempts: 0, totalUsd: 0 };
  for (const line of log.split("\n")) {
    const event = parseLine(line);
    if (event === null) continue;
    history = { ...history, until: event.at, workflow: event.workflow ?? history.workflow };
    if (event.type === "step.ended") {
      const { attempts, totalUsd } = history;
      history = { ...history, attempts: attempts + 1, totalUsd: event.total_usd ?? totalUsd };
    }
    note(agents, event);
  }
  return history.until === "" ? null : { ...history, agents };
}

const lineSchema = z.looseObject({
  type: z.string(),
  at: z.string(),
  workflow: z.string().optional(),
  total_usd: z.number().optional(),
  agent: z.string().optional(),
  worker: z.string().optional(),
  state: z.string().optional(),
  to: z.string().optional(),
  result: z.string().optional(),
  problem: z.string().optional(),
});

type Line = z.infer<typeof lineSchema>;

function parseLine(line: string): Line | null {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

function note(agents: Map<string, AgentHistory>, event: Line): void {
  const id = event.type === "agent.forked" ? event.worker : event.agent;
  const state = event.to ?? event.state;
  if (id === undefined || state === undefined) return;
  agents.set(id, {
    state,
    result: event.type === "agent.ended" ? (event.result ?? "") : null,
    problem: event.type === "agent.failed" ? (event.problem ?? "") : null,
  });
}
