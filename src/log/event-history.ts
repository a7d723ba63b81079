import { toMicroUsd } from "../language/basics/money.ts";
import type { Context } from "../machine/spend/spend.ts";
import { addAttempt, NO_TOTALS, type Totals } from "../machine/spend/totals.ts";
import { type HistoryLine, readHistoryLine } from "./codec/history-line.ts";
import { readPiece } from "./codec/log-lines.ts";

/** The history of an agent. */
export interface AgentHistory {
  /** Its last state. */
  readonly state: string;
  readonly ended: boolean;
  /** Null without a result. */
  readonly result: string | null;
  /** Why it failed; null if it did not. */
  readonly problem: string | null;
}

/** The history of a run by its event log, also available if its state file is damaged. */
export interface RunHistory {
  /** The workflow as specified at the start; null if that line is missing. */
  readonly workflow: string | null;
  /** Time of the last event, ISO 8601. */
  readonly until: string;
  /** Ended attempts. */
  readonly attempts: number;
  /** Total cost after the last of them, USD. */
  readonly totalUsd: number;
  /** By id, in the order of their first event. */
  readonly agents: ReadonlyMap<string, AgentHistory>;
  /** Totals of the attempts of each agent. */
  readonly sums: ReadonlyMap<string, Totals>;
  /** The last takeover; null if there was none. */
  readonly takeover: TakenOver | null;
  /** The last end of the run, ISO 8601; null if it is running or was interrupted. */
  readonly endedAt: string | null;
  /** Time with at least one running step, ms. */
  readonly workedMs: number;
  /** A step was running at the end of the log. */
  readonly busy: boolean;
  /** By agent: its conversations, in order. */
  readonly conversations: ReadonlyMap<string, readonly Conversation[]>;
  /** Denied tool calls, in order of the first denial. */
  readonly denials: readonly DenialCount[];
  /** Number of reminders, by state. */
  readonly reminded: ReadonlyMap<string, number>;
}

/** A holder that was taken for dead (docs/cli.md, "raymond resume"). */
export interface TakenOver {
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly at: string;
}

/** What is needed to open a conversation in the client. */
export interface Conversation {
  readonly session: string;
  /** The folder in which it started. */
  readonly cwd: string;
  /** The last reported context size; null if unknown. */
  readonly context: Context | null;
}

/** A denied tool call. */
export interface DenialCount {
  readonly tool: string;
  readonly input: string;
  readonly count: number;
}

/**
 * Reads the text of an event log (docs/events.md). Null if no line is readable.
 * @public For tests. Runs use `readHistoryFile`.
 */
export function readHistory(log: string): RunHistory | null {
  return historyOf([log.split("\n")]);
}

/** Reads a file in pieces: a log may exceed the maximum string length. Throws errors of `node:fs`. */
export function readHistoryFile(file: string): RunHistory | null {
  return historyOf(piecesOf(file));
}

function* piecesOf(file: string): Generator<readonly string[], void, undefined> {
  let next = 0;
  for (;;) {
    const piece = readPiece(file, next);
    if (piece.lines.length === 0) return;
    yield piece.lines;
    next = piece.next;
  }
}

function historyOf(pieces: Iterable<readonly string[]>): RunHistory | null {
  const reader = historyReader();
  for (const lines of pieces) for (const line of lines) reader.read(line);
  return reader.result();
}

/** Reads a log incrementally. */
export interface HistoryReader {
  read(line: string): void;
  /** Null if no line was readable so far. */
  result(): RunHistory | null;
}

/** Skips torn and unknown lines: the log is a report and not the state. */
export function historyReader(): HistoryReader {
  const agents = new Map<string, AgentHistory>();
  const sums = new Map<string, Totals>();
  const steps = newStepLog();
  const history = { workflow: null as string | null, until: "", attempts: 0, totalUsd: 0 };
  let takeover: TakenOver | null = null;
  const read = (line: string): void => {
    const event = readHistoryLine(line);
    if (event === null) return;
    if (event.type === "run.taken-over") {
      // Not an activity of the run, so `until` stays the time of the previous event.
      takeover = { host: event.host ?? "", pid: event.pid ?? 0, at: event.at };
      return;
    }
    steps.note(event);
    history.until = event.at;
    history.workflow = event.workflow ?? history.workflow;
    if (isPaid(event)) {
      history.attempts += 1;
      history.totalUsd = event.total_usd ?? history.totalUsd;
    }
    note(agents, event);
    count(sums, event);
  };
  return {
    read,
    result: () =>
      history.until === "" ? null : { ...history, takeover, agents, sums, ...steps.result() },
  };
}

type StepHistory = Pick<
  RunHistory,
  "endedAt" | "workedMs" | "busy" | "conversations" | "denials" | "reminded"
>;

/** Collects the facts of single steps. */
function newStepLog(): { note(event: HistoryLine): void; result(): StepHistory } {
  const running = new Map<number, Conversation | null>();
  const conversations = new Map<string, readonly Conversation[]>();
  const denials = new Map<string, DenialCount>();
  const reminded = new Map<string, number>();
  let endedAt: string | null = null;
  let workedMs = 0;
  let last = Number.NaN;

  const pass = ({ at, type }: HistoryLine): void => {
    const now = Date.parse(at);
    // Steps that ran when raymond died did not run until the resume.
    if (type === "run.started" || type === "run.resumed") running.clear();
    if (running.size > 0 && now > last) workedMs += now - last;
    last = now;
    endedAt = type === "run.ended" ? at : null;
  };
  const hold = (agent: string, held: Conversation): void => {
    const earlier = conversations.get(agent) ?? [];
    const known = earlier.find(({ session }) => session === held.session);
    const context = held.context ?? known?.context ?? null;
    const now = { ...(known ?? held), context };
    conversations.set(
      agent,
      [...earlier.filter((one) => one !== known), now].slice(-MAX_CONVERSATIONS),
    );
  };

  return {
    note(event) {
      pass(event);
      const { type, agent, process, session_id: session, cwd } = event;
      if (type === "step.started" && process !== undefined) {
        const opens = typeof session === "string" && cwd !== undefined;
        running.set(process, opens ? { session, cwd, context: null } : null);
      }
      if (type === "agent.reminded" && event.state !== undefined) {
        reminded.set(event.state, (reminded.get(event.state) ?? 0) + 1);
      }
      if (type !== "step.ended") return;
      const held = process === undefined ? null : running.get(process);
      if (process !== undefined) running.delete(process);
      const { context = null, client_version: version } = event;
      // A client that did not start has no conversation, and a simulated one has no version.
      if (agent !== undefined && held && (version || context)) hold(agent, { ...held, context });
      for (const { tool, input } of event.denials ?? []) {
        const key = `${tool} ${input}`;
        denials.set(key, { tool, input, count: (denials.get(key)?.count ?? 0) + 1 });
      }
    },
    result: () => ({
      endedAt,
      workedMs,
      busy: running.size > 0,
      conversations,
      denials: [...denials.values()],
      reminded,
    }),
  };
}

/** Maximum conversations per agent. */
const MAX_CONVERSATIONS = 20;

function note(agents: Map<string, AgentHistory>, event: HistoryLine): void {
  const id = event.type === "agent.forked" ? event.worker : event.agent;
  const state = event.to ?? event.state;
  if (id === undefined || state === undefined) return;
  const ended = event.type === "agent.ended";
  // A reported failure precedes the end of its agent.
  const reported = ended && event.result === null ? (agents.get(id)?.problem ?? null) : null;
  agents.set(id, {
    state,
    ended,
    result: ended ? (event.result ?? null) : null,
    problem: event.type === "agent.failed" ? (event.problem ?? "") : reported,
  });
}

/** Whether the event reports the cost of an attempt or of a manual session. */
function isPaid({ type, session_id: session }: HistoryLine): boolean {
  return type === "step.ended" || (type === "agent.handed-back" && session != null);
}

function count(sums: Map<string, Totals>, event: HistoryLine): void {
  const { agent, tokens: usage } = event;
  if (!isPaid(event) || agent === undefined || usage === undefined) return;
  const { duration_ms: ms = 0, cost_usd: cost = 0, estimated_usd: estimated = 0 } = event;
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = usage;
  const charged = { costMicroUsd: toMicroUsd(cost), estimatedMicroUsd: toMicroUsd(estimated) };
  const tokens = { input, output, cacheRead, cacheWrite };
  sums.set(agent, addAttempt(sums.get(agent) ?? NO_TOTALS, charged, { tokens }, ms));
}
