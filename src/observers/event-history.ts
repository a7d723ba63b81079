import type { Context } from "../core/machine/context-size.ts";
import { addAttempt, NO_SUMS, type Sums } from "../core/machine/sums.ts";
import { toMicroUsd } from "../core/money.ts";
import { type HistoryLine, readHistoryLine } from "./history-line.ts";
import { readPiece } from "./log-lines.ts";

/** What the event log of a run tells of an agent. */
export interface AgentHistory {
  /** The state where it stood last. */
  readonly state: string;
  readonly ended: boolean;
  /** By which it has ended; null without one. */
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
  /** What the attempts of each agent have reported. */
  readonly sums: ReadonlyMap<string, Sums>;
  /** Who was taken for dead last, and when; null where nobody was. */
  readonly takenOver: TakenOver | null;
  /** When the run ended last, ISO 8601; null where it goes on, or was cut off. */
  readonly endedAt: string | null;
  /** Time in which at least one step ran, ms. */
  readonly workedMs: number;
  /** A step ran when the log ends. */
  readonly busy: boolean;
  /** By agent: the conversations that its client has held, the last one at the end. */
  readonly conversations: ReadonlyMap<string, readonly Conversation[]>;
  /** Tool calls that the client has refused, the first one first. */
  readonly denials: readonly DenialCount[];
  /** By state: how often a model was reminded there. */
  readonly reminded: ReadonlyMap<string, number>;
}

/** A holder that was taken for dead (docs/cli.md, "raymond --resume"). */
export interface TakenOver {
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly at: string;
}

/** What opens a conversation in the client. */
export interface Conversation {
  readonly session: string;
  /** The folder in which it began. */
  readonly cwd: string;
  /** How full it was when it was last heard of; null where that was not told. */
  readonly context: Context | null;
}

/** A tool call that was refused, and how often. */
export interface DenialCount {
  readonly tool: string;
  readonly input: string;
  readonly count: number;
}

/**
 * What an event log tells, as a text (docs/events.md). Null when no line of it can be read.
 * @public Tests read it; of a run, `readHistoryFile` does.
 */
export function readHistory(log: string): RunHistory | null {
  return toldBy([log.split("\n")]);
}

/** The same of a file, read piece by piece: a log may be longer than a text can be. Throws errors of `node:fs`. */
export function readHistoryFile(file: string): RunHistory | null {
  return toldBy(piecesOf(file));
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

function toldBy(pieces: Iterable<readonly string[]>): RunHistory | null {
  const reader = historyReader();
  for (const lines of pieces) for (const line of lines) reader.read(line);
  return reader.told();
}

/** For whoever has not all of a log yet: what is told then grows with what is read. */
export interface HistoryReader {
  read(line: string): void;
  /** Null as long as no line could be read. */
  told(): RunHistory | null;
}

/** Lines that are torn, cut or unknown are passed over: the log is evidence and no state. */
export function historyReader(): HistoryReader {
  const agents = new Map<string, AgentHistory>();
  const sums = new Map<string, Sums>();
  const steps = newStepLog();
  const history = { workflow: null as string | null, until: "", attempts: 0, totalUsd: 0 };
  let takenOver: TakenOver | null = null;
  const read = (line: string): void => {
    const event = readHistoryLine(line);
    if (event === null) return;
    if (event.type === "run.taken-over") {
      // Nothing has happened in the run then: how long it had gone on is told by the line before.
      takenOver = { host: event.host ?? "", pid: event.pid ?? 0, at: event.at };
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
    told: () =>
      history.until === "" ? null : { ...history, takenOver, agents, sums, ...steps.told() },
  };
}

type StepHistory = Pick<
  RunHistory,
  "endedAt" | "workedMs" | "busy" | "conversations" | "denials" | "reminded"
>;

/** Gathers what single steps tell. */
function newStepLog(): { note(event: HistoryLine): void; told(): StepHistory } {
  const running = new Map<number, Conversation | null>();
  const conversations = new Map<string, readonly Conversation[]>();
  const denials = new Map<string, DenialCount>();
  const reminded = new Map<string, number>();
  let endedAt: string | null = null;
  let workedMs = 0;
  let last = Number.NaN;

  const pass = ({ at, type }: HistoryLine): void => {
    const now = Date.parse(at);
    // What ran when raymond died did not run until somebody went on.
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
    conversations.set(agent, [...earlier.filter((one) => one !== known), now].slice(-MOST_KEPT));
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
      // A client that never came to be has no conversation; a simulated one has no version.
      if (agent !== undefined && held && (version || context)) hold(agent, { ...held, context });
      for (const { tool, input } of event.denials ?? []) {
        const key = `${tool} ${input}`;
        denials.set(key, { tool, input, count: (denials.get(key)?.count ?? 0) + 1 });
      }
    },
    told: () => ({
      endedAt,
      workedMs,
      busy: running.size > 0,
      conversations,
      denials: [...denials.values()],
      reminded,
    }),
  };
}

/** So many conversations of one agent are remembered. */
const MOST_KEPT = 20;

function note(agents: Map<string, AgentHistory>, event: HistoryLine): void {
  const id = event.type === "agent.forked" ? event.worker : event.agent;
  const state = event.to ?? event.state;
  if (id === undefined || state === undefined) return;
  const ended = event.type === "agent.ended";
  // What is reported was told just before its end.
  const reported = ended && event.result === null ? (agents.get(id)?.problem ?? null) : null;
  agents.set(id, {
    state,
    ended,
    result: ended ? (event.result ?? null) : null,
    problem: event.type === "agent.failed" ? (event.problem ?? "") : reported,
  });
}

/** Whether it tells what an attempt has cost, or what a person has spent by hand. */
function isPaid({ type, session_id: session }: HistoryLine): boolean {
  return type === "step.ended" || (type === "agent.handed-back" && session != null);
}

function count(sums: Map<string, Sums>, event: HistoryLine): void {
  const { agent, tokens: told } = event;
  if (!isPaid(event) || agent === undefined || told === undefined) return;
  const { duration_ms: ms = 0, cost_usd: cost = 0, estimated_usd: estimated = 0 } = event;
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = told;
  const charged = { costMicroUsd: toMicroUsd(cost), estimatedMicroUsd: toMicroUsd(estimated) };
  const tokens = { input, output, cacheRead, cacheWrite };
  sums.set(agent, addAttempt(sums.get(agent) ?? NO_SUMS, charged, { tokens }, ms));
}
