import type { Event } from "../core/machine/event.ts";
import { decodeEvent } from "./event-json.ts";

/** An event as an event log has it. */
export interface LoggedEvent<E extends Event = Event> {
  readonly event: E;
  readonly seq: number;
  /** Epoch ms. */
  readonly at: number;
}

/** What the beginning of a line tells, without a look at the rest: logs are long. */
export interface LineHead {
  readonly type: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** Null of what concerns the whole run. */
  readonly agent: string | null;
}

/** The beginning of a line of an event log; null for what is none, or is torn there. */
export function headOf(line: string): LineHead | null {
  const found = HEAD.exec(line);
  if (found === null) return null;
  const [, type = "", seq = "", at = "", agent = null] = found;
  return { type, seq: Number(seq), at, agent };
}

/** The keys that stand first in every line (docs/events.md). */
const HEAD = /^\{"type":"([a-z.-]+)","seq":(\d{1,15}),"at":"([^"\\]+)"(?:,"agent":"([^"\\]*)")?/;

/** One line of an event log; null for one that is torn, or that this raymond does not understand. */
export function parseLogLine(line: string): LoggedEvent | null {
  const head = headOf(line);
  const event = head === null ? null : decodeEvent(parsed(line));
  return head === null || event === null ? null : { event, seq: head.seq, at: Date.parse(head.at) };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
