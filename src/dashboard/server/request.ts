import type { Context } from "hono";
import type { RunSummary } from "../../engine/ports/store.ts";
import { RUN_STATUSES } from "../../machine/model/run-state.ts";
import { serveErrors } from "./errors.ts";

/** The same limit as for a result: answers can be long. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** A whole number of the query; undefined if it is missing. Throws if it is invalid. */
export function numberIn(c: Context, name: string): number | undefined {
  const text = c.req.query(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw serveErrors["serve/bad-request"](`${name} must be a whole number.`);
}

/** The last event that a client has. */
export interface ClientPosition {
  readonly seq: number;
  /** The client has received this line, so a log without it was replaced. */
  readonly received: boolean;
}

/** The position of a client in the event log: from `Last-Event-ID` after a reconnect, else from the query. */
export function clientPositionIn(c: Context): ClientPosition | null {
  const last = c.req.header("last-event-id");
  if (last !== undefined && /^\d{1,15}$/.test(last)) return { seq: Number(last), received: true };
  const after = numberIn(c, "after");
  return after === undefined ? null : { seq: after, received: false };
}

/** The parameters `after`, `status` (repeatable) and `words`. */
export function olderQueryIn(c: Context): OlderQuery {
  const after = c.req.query("after");
  if (after === undefined) throw serveErrors["serve/bad-request"]("after is missing.");
  const statuses = c.req.queries("status") ?? [];
  if (!statuses.every(isStatus))
    throw serveErrors["serve/bad-request"]("status must be a status of a run.");
  const words = (c.req.query("words") ?? "").split(/\s+/).filter((word) => word !== "");
  return { after, statuses, words: words.slice(0, MAX_WORDS) };
}

export interface OlderQuery {
  /** Cursor of the last run that the client has. */
  readonly after: string;
  /** Empty: any status. */
  readonly statuses: readonly RunSummary["status"][];
  readonly words: readonly string[];
}

const MAX_WORDS = 10;

function isStatus(text: string): text is RunSummary["status"] {
  return LISTED_STATUSES.some((status) => status === text);
}

const LISTED_STATUSES: readonly RunSummary["status"][] = [
  ...RUN_STATUSES,
  ...(["crashed", "held", "queued", "unreadable"] as const),
];

/** The JSON body. Other content types are rejected: a form of another site could send them without a CORS preflight. */
export async function jsonIn(c: Context): Promise<unknown> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json(?:\s*;|$)/i.test(type)) {
    throw serveErrors["serve/no-json"]();
  }
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw serveErrors["serve/bad-request"]("the body is not JSON.");
  }
}
