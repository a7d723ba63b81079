import type { Observer } from "../engine/ports/observer.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { warnOnce } from "../language/basics/warn-once.ts";
import type { Event, EventType } from "../machine/model/event.ts";
import { AppendFile } from "./append-file.ts";
import { encodeEvent, eventLine } from "./codec/event-json.ts";
import { linesFromEnd } from "./codec/log-lines.ts";
import { MAX_MESSAGE, truncate } from "./truncate.ts";

/**
 * The event log of a run, `.raymond/runs/<id>/events.jsonl` (docs/events.md): one numbered event per line. A line that a
 * crash has torn gets a line end first. Written in the background; the first write error is one call of `warn`.
 */
export function eventLog(
  file: string,
  clock: { now(): number },
  warn: (message: string) => void,
): Observer {
  const failed = warnOnce(
    warn,
    (reason) => `Cannot write the event log ${file}, so it has gaps: ${reason}.`,
  );
  const log = new AppendFile(file, failed, isTorn(file, failed));
  return {
    notify(event, _run, seq) {
      log.append(`${logLine(event, seq, clock.now())}\n`);
    },
    close: () => log.close(),
  };
}

/** Number of the last event in a log, also of a torn line; 0 if the log cannot be read. */
export function lastSeq(file: string): number {
  try {
    return readTail(file).seq;
  } catch {
    return 0;
  }
}

/** Maximum text in a line of the log, bytes. The state file contains whole results. */
export const MAX_TEXT = 64 * 1024;

/** An event as a line of the log. Most are short and need no truncation. */
export function logLine(event: Event, seq: number, at: number): string {
  const json = encodeEvent(event);
  const line = eventLine(json, seq, at);
  const bytes = LONG.has(json.type) ? MAX_MESSAGE : MAX_TEXT;
  if (line.length * 3 <= bytes) return line;
  return eventLine(json, seq, at, (value) => truncate(value, bytes));
}

/** Frequent events, whose whole texts are in the debug files. */
const LONG: ReadonlySet<EventType> = new Set(["step.message", "step.output"]);

function isTorn(file: string, failed: (error: unknown) => void): boolean {
  try {
    return readTail(file).torn;
  } catch (error) {
    failed(error);
    return false;
  }
}

interface LastLine {
  /** Number of the last complete line, or 0. */
  readonly seq: number;
  /** The file does not end with a line end. */
  readonly torn: boolean;
}

/** Reads a log from its end up to a line with a number. Throws errors of `node:fs`. */
function readTail(path: string): LastLine {
  let torn: boolean | null = null;
  try {
    for (const { text } of linesFromEnd(path)) {
      torn ??= text !== "";
      const seq = seqOf(text);
      if (seq !== null) return { seq, torn };
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  return { seq: 0, torn: torn ?? false };
}

export function seqOf(line: string): number | null {
  // `seq` is the second key of every line, so it is readable in most torn lines.
  const found = /^\{"type":"[a-z.-]+","seq":(\d{1,15}),/.exec(line);
  return found?.[1] === undefined ? null : Number(found[1]);
}
