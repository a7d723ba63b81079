import { errorCode } from "../core/error-code.ts";
import type { Event, EventType } from "../core/machine/event.ts";
import type { Observer } from "../ports/observer.ts";
import { AppendFile } from "./append-file.ts";
import { bounded, MAX_MESSAGE } from "./bounded.ts";
import { type EventJson, encodeEvent, eventLine } from "./event-json.ts";
import { linesFromEnd } from "./log-lines.ts";

/**
 * The event log of a run, `.raymond/runs/<id>/events.jsonl` (docs/events.md,
 * "Events"): one event a line with its number in the run. A line that a crash
 * has torn is ended first. Written in the background: nothing waits
 * for it, and what cannot be written is one call of `warn`, never a failure.
 */
export function eventLog(
  file: string,
  clock: { now(): number },
  warn: (message: string) => void,
): Observer {
  let warned = false;
  const failed = (error: unknown): void => {
    if (warned) return;
    warned = true;
    const reason = error instanceof Error ? error.message : String(error);
    warn(`The event log ${file} cannot be written, so it has gaps: ${reason}.`);
  };

  const log = new AppendFile(file, failed, isTorn(file, failed));

  return {
    notify(event, _run, seq) {
      log.append(`${logLine(event, seq, clock.now())}\n`);
    },
    close: () => log.close(),
  };
}

/** Number of the last event that a log tells, also where its line was torn; 0 where it cannot be read. */
export function lastTold(file: string): number {
  try {
    return readTail(file).seq;
  } catch {
    return 0;
  }
}

/** The longest text that a line of the log holds, bytes; results lie whole in the state file. */
export const MAX_TEXT = 64 * 1024;

/** An event as the log has it. Nearly all are short, and taken as they are. */
export function logLine(event: Event, seq: number, at: number): string {
  const json = encodeEvent(event);
  const line = eventLine(json, seq, at);
  const bytes = LONG.has(json.type) ? MAX_MESSAGE : MAX_TEXT;
  return line.length * 3 <= bytes ? line : eventLine(shortened(json, bytes), seq, at);
}

/** There are many of these, and the debug files have them whole. */
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
  /** Number of the last whole line; 0 without any. */
  readonly seq: number;
  /** The file ends within a line. */
  readonly torn: boolean;
}

/** Reads a log from its end until a line tells its number. Throws errors of `node:fs`. */
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

/** The number that a line of the log tells. */
export function seqOf(line: string): number | null {
  // `seq` is the second key of every line, so a line torn behind it still tells its number.
  const found = /^\{"type":"[a-z.-]+","seq":(\d{1,15}),/.exec(line);
  return found?.[1] === undefined ? null : Number(found[1]);
}

function shortened(event: EventJson, bytes: number): EventJson {
  return {
    ...(shorten(event, bytes) as Readonly<Record<string, unknown>>),
    type: event.type,
  };
}

/** The value with every long text in it cut. */
function shorten(value: unknown, bytes: number): unknown {
  if (typeof value === "string") return bounded(value, bytes);
  if (Array.isArray(value)) return value.map((part) => shorten(part, bytes));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, shorten(part, bytes)]),
  );
}
