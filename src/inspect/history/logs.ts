import { setTimeout as delay } from "node:timers/promises";
import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { Blocker } from "../../engine/ports/store.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { linesFromEnd, readPieceIfExists } from "../../log/codec/log-lines.ts";
import {
  headOf,
  type LineHead,
  type LoggedEvent,
  parseLogLine,
} from "../../log/codec/logged-event.ts";
import type { AgentId } from "../../machine/agent.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { nameRun, type WantedAgents } from "../../wire/stores.ts";
import { inspectErrors } from "../errors.ts";
import { requireAgent } from "../inspect.ts";
import { type LastKnown, lastKnown } from "./last-known.ts";

/** Which part of an event log: of one agent with what concerns the whole run, else of all. */
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

/** The event log of a run, to be read piece by piece. */
export interface RunLog extends Pick<LastKnown, "damage"> {
  readonly id: RunId;
  readonly artifacts: Artifacts;
  /** How the user calls raymond for this run. */
  readonly program: string;
  /** What keeps it in its queue, where it was there when this began; nothing of any other. */
  readonly waitReasons: readonly Blocker[];
  /** Ends at the end of the log, or with `follow` when no process holds the run. */
  readonly pieces: AsyncIterable<LogPiece>;
}

/** Lines of an event log, in their order. */
export interface LogPiece {
  readonly lines: readonly EventLine[];
  /** Lines that are torn, or that this raymond does not understand. */
  readonly unreadable: number;
  /** As it was saved last. */
  readonly run: RunState;
}

/** A line of the log, and its event. */
export interface EventLine extends LoggedEvent {
  readonly text: string;
  /** Events that are missing between the previous line and this one. */
  readonly missing: readonly MissingEvents[];
}

/** Numbers of events that a log lacks, the first and the last. */
export interface MissingEvents {
  readonly from: number;
  readonly to: number;
}

/** Reads the event log of a run. Rejects with a RaymondError where there is no such run, agent or log. */
export async function logs(options: LogsOptions, caller: Caller = thisProcess()): Promise<RunLog> {
  const { id, store, program } = await nameRun(options, caller);
  const { run, damage } = await lastKnown(store, id);
  const artifacts = await store.artifacts(id);
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
      } else if (!(await isGoneOnWith(store, id))) {
        // The holder writes all events before it releases the run, so read once more.
        over = true;
      } else {
        await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
  const isHeld = (await store.holder(id)) !== null;
  const heldUp = isHeld ? [] : await store.queue.waitReasons(id);
  return { id, damage, artifacts, program, waitReasons: heldUp, pieces: pieces() };
}

/** Whether there is more to come: of a run of a fleet also where a worker is about to take it. */
async function isGoneOnWith(store: RunSource, id: RunId): Promise<boolean> {
  if ((await store.holder(id)) !== null) return true;
  return (await store.queue.expected()).has(id);
}

const POLL_MS = 250;

type Lines = Pick<LogPiece, "lines" | "unreadable">;

/** Reads lines of a log, one piece after the other; `whole`: from the first line on. */
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

/** Null of a line that is of another agent. */
function readLine(text: string, agent: AgentId | null): LoggedEvent | "unreadable" | null {
  const head = headOf(text);
  // Most lines are of others, and need no look.
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

/** Where the first line begins that is wanted, with all behind it; null where there is no log. */
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
      // Behind the last line end there is no line, or half of one.
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
