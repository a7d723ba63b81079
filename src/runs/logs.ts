import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../core/error-code.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { linesFromEnd, pieceIfThere } from "../observers/log-lines.ts";
import {
  headOf,
  type LineHead,
  type LoggedEvent,
  parseLogLine,
} from "../observers/logged-event.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { HeldUp, Store } from "../ports/store.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { NoEventLogError } from "./history-errors.ts";
import { requireAgent } from "./known-agents.ts";
import { type LastKnown, lastKnown } from "./last-known.ts";
import type { WantedAgents } from "./wake.ts";
import { nameRun } from "./wire/stores.ts";

/** Which part of an event log: of one agent with what concerns the whole run, else of all. */
export interface LogsOptions extends WantedAgents {
  /** Only what was told from this moment on, epoch ms. */
  readonly since?: number | undefined;
  /** Only so many lines, the last ones. */
  readonly last?: number | undefined;
  /** Only from the event with this number on. */
  readonly from?: number | undefined;
  /** Ends the reading, also while it waits for more. */
  readonly signal?: AbortSignal | undefined;
  /** Goes on with what is told from now on, while somebody holds the run. */
  readonly follow?: boolean | undefined;
}

/** The event log of a run, to be read piece by piece. */
export interface RunLog extends Pick<LastKnown, "damage"> {
  readonly id: RunId;
  readonly artifacts: Artifacts;
  /** How the user calls raymond for this run. */
  readonly program: string;
  /** What keeps it in its queue, where it was there when this began; nothing of any other. */
  readonly heldUp: readonly HeldUp[];
  /** Ends at the end of the log; of one that is followed, when nobody holds the run any more. */
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

/** A line as it stands there, and the event that it tells. */
export interface EventLine extends LoggedEvent {
  readonly text: string;
  /** Events that were told before it, and behind the line before, and are not there. */
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
  // Of a run that has just begun it is not there yet.
  if (!follow && (start === null || pieceIfThere(events, start) === null)) {
    throw new NoEventLogError(id, events);
  }

  async function* pieces(): AsyncGenerator<LogPiece> {
    const read = lineReader(agent, start === 0);
    let next = start ?? 0;
    let saved = run;
    let over = !follow;
    let isEmpty = true;
    while (signal?.aborted !== true) {
      const piece = pieceIfThere(events, next);
      if (piece !== null && piece.lines.length > 0) {
        next = piece.next;
        over = !follow;
        // What can still be asked, and is advised at its end, stands in the state as it is now.
        if (follow) saved = (await store.load(id).catch(() => undefined)) ?? saved;
        isEmpty = false;
        yield { ...read(piece.lines), run: saved };
      } else if (over) {
        if (piece?.torn === true) yield { lines: [], unreadable: 1, run: saved };
        // Of a log without events the state tells how it came to that.
        else if (isEmpty) {
          saved = (await store.load(id).catch(() => undefined)) ?? saved;
          yield { lines: [], unreadable: 0, run: saved };
        }
        return;
      } else if (!(await isGoneOnWith(store, id))) {
        // It has told all before it let the run go: that is read once more.
        over = true;
      } else {
        await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
  const isHeld = (await store.holder(id)) !== null;
  const heldUp = isHeld ? [] : await store.remote?.heldUp(id);
  return { id, damage, artifacts, program, heldUp: heldUp ?? [], pieces: pieces() };
}

/** Whether there is more to come: of a run of a fleet also where a worker is about to take it. */
async function isGoneOnWith(store: Store, id: RunId): Promise<boolean> {
  if ((await store.holder(id)) !== null) return true;
  return (await store.remote?.expected())?.has(id) === true;
}

const POLL_MS = 250;

type Lines = Pick<LogPiece, "lines" | "unreadable">;

/** Reads lines of a log, one piece after the other; `whole`: from the first line on. */
function lineReader(agent: AgentId | null, whole: boolean): (texts: readonly string[]) => Lines {
  /** Number of the last line; null where nobody knows. */
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
