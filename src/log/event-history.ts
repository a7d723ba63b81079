import { toUsd } from "../language/basics/money.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Event, EventType } from "../machine/model/event.ts";
import type { Context } from "../machine/model/spend.ts";
import type { StepChanges } from "../machine/model/step-changes.ts";
import { addAttempt, NO_TOTALS, type Totals } from "../machine/model/totals.ts";
import { readPiece } from "./codec/log-lines.ts";
import { headOf, parseLogLine } from "./codec/logged-event.ts";
import { commandOf, type LoggedCommand } from "./logged-commands.ts";

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
  readonly sums: ReadonlyMap<string, Totals>;
  /** The last takeover; null if there was none. */
  readonly takeover: TakenOver | null;
  /** Commands of persons, at most the last 200. */
  readonly commands: readonly LoggedCommand[];
  /** The last end of the run, ISO 8601; null if it is running or was interrupted. */
  readonly endedAt: string | null;
  /** Time with at least one running step, ms. */
  readonly workedMs: number;
  /** A step was running at the end of the log. */
  readonly busy: boolean;
  readonly conversations: ReadonlyMap<string, readonly Conversation[]>;
  /** Number of reminders, by state. */
  readonly reminded: ReadonlyMap<string, number>;
  /** What steps changed in their working trees, at most of the last 1,000 that changed files. */
  readonly changes: readonly LoggedChanges[];
}

export interface LoggedChanges extends StepChanges {
  readonly step: number;
  readonly agent: AgentId;
  readonly state: string;
}

/** A holder that was presumed dead (docs/cli.md, "raymond resume"). */
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
  /** Its coding agent; absent: the default agent of the run. */
  readonly backend?: string | undefined;
}

/** Reads a file in pieces: a log may exceed the maximum string length. Throws errors of `node:fs`. */
export function readHistoryFile(file: string): RunHistory | null {
  const reader = historyReader();
  for (let next = 0; ; ) {
    const piece = readPiece(file, next);
    if (piece.lines.length === 0) return reader.result();
    for (const line of piece.lines) reader.read(line);
    next = piece.next;
  }
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
  const commands: LoggedCommand[] = [];
  let takeover: TakenOver | null = null;
  const read = (line: string): void => {
    const head = headOf(line);
    if (head === null || IGNORED.has(head.type)) return;
    const { at } = head;
    // Only the time of script output is used.
    const event = head.type === OUTPUT ? null : parseLogLine(line)?.event;
    if (event === undefined) return;
    const command = event === null ? null : commandOf(event);
    if (command !== null) commands.push({ at, ...command });
    if (commands.length > MAX_COMMANDS) commands.shift();
    if (event?.type === "run.taken-over") takeover = { host: event.host, pid: event.pid, at };
    // Not an activity of the run, so `until` remains the time of the previous event.
    if (event !== null && LOGGED_BY_OTHERS.has(event.type)) return;
    steps.pass(head.type, at);
    history.until = at;
    if (event === null) return;
    steps.note(event);
    noteAgent(agents, event);
    if (event.type === "run.started") history.workflow = event.workflow;
    if (!isPaid(event)) return;
    history.attempts += 1;
    history.totalUsd = toUsd(event.totalMicroUsd);
    const ms = event.type === "step.ended" ? event.durationMs : 0;
    sums.set(event.agent, addAttempt(sums.get(event.agent) ?? NO_TOTALS, event, event, ms));
  };
  return {
    read,
    result: () =>
      history.until === ""
        ? null
        : { ...history, takeover, commands, agents, sums, ...steps.result() },
  };
}

/** Other processes than that of the run log them. */
const LOGGED_BY_OTHERS: ReadonlySet<EventType> = new Set([
  ...(["run.taken-over", "run.controlled", "agent.result-set"] as const),
]);

const MAX_COMMANDS = 200;

/** Irrelevant events, which most lines are. */
const IGNORED: ReadonlySet<string> = new Set<EventType>([
  "step.message",
  "step.tool",
  "step.notice",
]);
const OUTPUT: EventType = "step.output";

type StepHistory = Pick<
  RunHistory,
  "endedAt" | "workedMs" | "busy" | "conversations" | "reminded" | "changes"
>;

/** Collects the facts of single steps. */
function newStepLog() {
  const running = new Map<number, Conversation | null>();
  const conversations = new Map<string, readonly Conversation[]>();
  const reminded = new Map<string, number>();
  const changes: LoggedChanges[] = [];
  let endedAt: string | null = null;
  let workedMs = 0;
  let last = Number.NaN;

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
    /** The time of an event. */
    pass(type: string, at: string): void {
      const now = Date.parse(at);
      // Steps that ran when raymond died did not run until the resume.
      if (type === "run.started" || type === "run.resumed") running.clear();
      if (running.size > 0 && now > last) workedMs += now - last;
      last = now;
      endedAt = type === "run.ended" ? at : null;
    },
    note(event: Event): void {
      if (event.type === "step.started") {
        const { process, sessionId: session, cwd, backend } = event;
        running.set(process, session === null ? null : { session, cwd, context: null, backend });
      }
      if (event.type === "agent.reminded") {
        reminded.set(event.state, (reminded.get(event.state) ?? 0) + 1);
      }
      if (event.type !== "step.ended") return;
      const { agent, process, context, version } = event;
      if (event.changes !== undefined && event.changes.files > 0) {
        changes.push({ step: process, agent, state: event.state, ...event.changes });
        if (changes.length > MAX_CHANGES) changes.shift();
      }
      const held = running.get(process);
      running.delete(process);
      // A client that did not start has no conversation, and a simulated one has no version.
      if (held && (version || context)) hold(agent, { ...held, context });
    },
    result: (): StepHistory => ({
      endedAt,
      workedMs,
      busy: running.size > 0,
      conversations,
      reminded,
      changes,
    }),
  };
}

const MAX_CHANGES = 1_000;

/** Maximum conversations per agent. */
const MAX_CONVERSATIONS = 20;

function noteAgent(agents: Map<string, AgentHistory>, event: Event): void {
  if (!("agent" in event)) return;
  const id = event.type === "agent.forked" ? event.worker : event.agent;
  const state = "to" in event ? event.to : event.state;
  const ended = event.type === "agent.ended";
  // A reported failure precedes the end of its agent.
  const reported = ended && event.result === null ? (agents.get(id)?.problem ?? null) : null;
  agents.set(id, {
    state,
    ended,
    result: ended ? event.result : null,
    problem: event.type === "agent.failed" ? event.problem : reported,
  });
}

type Paid = Extract<Event, { readonly totalMicroUsd: number }>;

/** Whether the event reports the cost of an attempt or of a manual session. */
function isPaid(event: Event): event is Paid {
  return (
    event.type === "step.ended" || (event.type === "agent.handed-back" && event.session !== null)
  );
}
