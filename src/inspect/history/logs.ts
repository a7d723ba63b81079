import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../../language/basics/error-code.ts";
import { linesFromEnd, readPieceIfExists } from "../../log/codec/log-lines.ts";
import {
  headOf,
  type LineHead,
  type LoggedEvent,
  parseLogLine,
} from "../../log/codec/logged-event.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import type { WantedAgents } from "../../wire/stores.ts";
import { inspectErrors } from "../errors.ts";
import { type RunView, readLastKnown, requireAgent } from "../run-view.ts";

/** Which part of an event log. With an agent: its events, and those of the whole run. */
export interface LogsOptions extends WantedAgents {
  /** Only events from this time on, epoch ms. */
  readonly since?: number | undefined;
  /** Maximum number of lines, from the end. */
  readonly last?: number | undefined;
  /** Only from the event with this number on. */
  readonly from?: number | undefined;
  /** Ends the reading, also while it waits for more. */
  readonly signal?: AbortSignal | undefined;
  /** Follow new events while a process holds the run. */
  readonly follow?: boolean | undefined;
}

type Opened = "id" | "root" | "store" | "program" | "run" | "damage" | "artifacts" | "holder";

export interface RunLog extends Pick<RunView, Opened | "waitReasons"> {
  /** Ends at the end of the log, or with `follow` when no process holds the run. */
  readonly pieces: AsyncIterable<LogPiece>;
}

export interface LogPiece {
  readonly lines: readonly EventLine[];
  /** Number of truncated lines, and of lines by another version. */
  readonly unreadable: number;
  readonly run: RunState;
}

export interface EventLine extends LoggedEvent {
  readonly text: string;
  /** Events that are missing between the previous line and this one. */
  readonly missing: readonly MissingEvents[];
}

/** First and last number of missing events. */
export interface MissingEvents {
  readonly from: number;
  readonly to: number;
}

/** Rejects with a RaymondError if there is no such run, agent or log. */
export async function logs(options: LogsOptions, caller: Caller = thisProcess()): Promise<RunLog> {
  const view = await readLastKnown(options, caller);
  const { id, root, store, program, run, damage, artifacts, holder } = view;
  const { events } = artifacts;
  requireAgent(run, options.agent, events);
  const { agent = null, signal, follow = false } = options;
  const start = startAt(events, options);
  // A run that has just started has no log yet.
  if (!follow && (start === null || readPieceIfExists(events, start) === null)) {
    throw inspectErrors["run/no-event-log"](id, events);
  }

  async function* pieces(): AsyncGenerator<LogPiece> {
    const read = lineReader(agent, start === 0);
    let next = start ?? 0;
    let saved = run;
    let over = !follow;
    let isEmpty = true;
    while (signal?.aborted !== true) {
      const piece = readPieceIfExists(events, next);
      if (piece !== null && piece.lines.length > 0) {
        next = piece.next;
        over = !follow;
        // Open questions and the final advice come from the current state.
        if (follow) saved = (await store.load(id).catch(() => undefined)) ?? saved;
        isEmpty = false;
        yield { ...read(piece.lines), run: saved };
      } else if (over) {
        if (piece?.torn === true) yield { lines: [], unreadable: 1, run: saved };
        // For a log without events, the state shows how the run ended.
        else if (isEmpty) {
          saved = (await store.load(id).catch(() => undefined)) ?? saved;
          yield { lines: [], unreadable: 0, run: saved };
        }
        return;
      } else if (!(await mayContinue(store, id))) {
        // The holder writes all events before it releases the run, so read once more.
        over = true;
      } else {
        await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
  const waitReasons = holder === null ? view.waitReasons : [];
  const of = { id, root, store, program, run, damage, artifacts, holder };
  return { ...of, waitReasons, pieces: pieces() };
}

/** Whether a process holds the run, or a worker is about to claim it. */
async function mayContinue(store: RunSource, id: RunId): Promise<boolean> {
  if ((await store.holder(id)) !== null) return true;
  return (await store.queue.expected()).has(id);
}

const POLL_MS = 250;

type Lines = Pick<LogPiece, "lines" | "unreadable">;

/** Reads lines of a log piece by piece. `whole`: from the first line on. */
function lineReader(agent: AgentId | null, whole: boolean): (texts: readonly string[]) => Lines {
  /** Number of the last line; null: unknown. */
  let last = whole ? 0 : null;
  let missing: MissingEvents[] = [];
  return (texts) => {
    const lines: EventLine[] = [];
    let unreadable = 0;
    for (const text of texts) {
      const seq = headOf(text)?.seq ?? null;
      if (seq !== null && last !== null && seq > last + 1)
        missing.push({ from: last + 1, to: seq - 1 });
      last = seq;
      const logged = readLine(text, agent);
      if (logged === "unreadable") unreadable += 1;
      else if (logged !== null) {
        lines.push({ ...logged, text, missing });
        missing = [];
      }
    }
    return { lines, unreadable };
  };
}

/** Null for a line of another agent. */
function readLine(text: string, agent: AgentId | null): LoggedEvent | "unreadable" | null {
  const head = headOf(text);
  // Skips most lines without parsing them.
  if (head !== null && isOfOther(head.agent, head.type, agent)) return null;
  const logged = parseLogLine(text);
  if (logged === null) return "unreadable";
  const { event } = logged;
  const isForked = event.type === "agent.forked" && agent !== null;
  if (isForked && event.agent !== agent && event.worker !== agent) return null;
  return logged;
}

function isOfOther(whose: AgentId | null, type: string, agent: AgentId | null): boolean {
  return agent !== null && whose !== null && whose !== agent && type !== "agent.forked";
}

/** Offset of the first line to return; null without a log. */
function startAt(
  log: string,
  { since, from, last }: Pick<LogsOptions, "since" | "from" | "last">,
): number | null {
  if (since === undefined && from === undefined && last === undefined) return 0;
  let start: number | null = null;
  let count = 0;
  try {
    for (const line of linesFromEnd(log)) {
      const head = headOf(line.text);
      if (head !== null && isBefore(head, since, from)) break;
      start = line.start;
      // The text after the last newline is empty or incomplete.
      if (count === last) break;
      count += 1;
    }
    return start ?? 0;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function isBefore({ at, seq }: LineHead, since = 0, from = 0): boolean {
  return Date.parse(at) < since || seq < from;
}
