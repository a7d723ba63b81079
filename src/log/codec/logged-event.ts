import { parseJson } from "../../language/basics/json-object.ts";
import type { Event } from "../../machine/model/event.ts";
import { decodeEvent } from "./event-json.ts";

export interface LoggedEvent<E extends Event = Event> {
  readonly event: E;
  readonly seq: number;
  /** Epoch ms. */
  readonly at: number;
}

/** The first fields of a line, readable without parsing the rest: logs are long. */
export interface LineHead {
  readonly type: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** Null for events of the whole run. */
  readonly agent: string | null;
}

/** Null for a line that is torn there, or is no event. */
export function headOf(line: string): LineHead | null {
  const found = HEAD.exec(line);
  if (found === null) return null;
  const [, type = "", seq = "", at = "", agent = null] = found;
  return { type, seq: Number(seq), at, agent };
}

/** The first keys of every line (docs/events.md). */
const HEAD = /^\{"type":"([a-z.-]+)","seq":(\d{1,15}),"at":"([^"\\]+)"(?:,"agent":"([^"\\]*)")?/;

/** Null for a line that is torn, or of another version. */
export function parseLogLine(line: string): LoggedEvent | null {
  const head = headOf(line);
  const event = head === null ? null : decodeEvent(parseJson(line));
  return head === null || event === null ? null : { event, seq: head.seq, at: Date.parse(head.at) };
}
