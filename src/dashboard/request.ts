import type { Context } from "hono";
import { RUN_STATUSES } from "../core/machine/run-state.ts";
import type { RunSummary } from "../ports/store.ts";
import { RefusedError } from "./errors.ts";
import type { Told } from "./log-place.ts";

/** Bytes of a body: an answer can be long, and no longer than a result. */
export const MOST_BODY = 1024 * 1024;

/** A whole number of the query; undefined without one. Throws for what is none. */
export function numberIn(c: Context, name: string): number | undefined {
  const text = c.req.query(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`${name} must be a whole number.`);
}

/** What a browser has been told of a run: as it says itself when it comes back, else as the page says it. */
export function toldIn(c: Context): Told | null {
  const last = c.req.header("last-event-id");
  if (last !== undefined && /^\d{1,15}$/.test(last)) return { seq: Number(last), seen: true };
  const after = numberIn(c, "after");
  return after === undefined ? null : { seq: after, seen: false };
}

/** Which older runs are meant: `after`, and as wanted `status` and `words`, each of which may stand several times. */
export function wantedIn(c: Context): OlderWanted {
  const after = c.req.query("after");
  if (after === undefined) throw badRequest("after must say behind which run.");
  const statuses = c.req.queries("status") ?? [];
  if (!statuses.every(isStatus)) throw badRequest("status must be that of a run.");
  const words = (c.req.query("words") ?? "").split(/\s+/).filter((word) => word !== "");
  return { after, statuses, words: words.slice(0, MOST_WORDS) };
}

/** Which older runs are asked for. */
export interface OlderWanted {
  /** The cursor of the last run that is known. */
  readonly after: string;
  /** None: any. */
  readonly statuses: readonly RunSummary["status"][];
  readonly words: readonly string[];
}

const MOST_WORDS = 10;

function isStatus(text: string): text is RunSummary["status"] {
  return LISTED_STATUSES.some((status) => status === text);
}

const LISTED_STATUSES: readonly RunSummary["status"][] = [
  ...RUN_STATUSES,
  ...(["crashed", "held", "queued", "unreadable"] as const),
];

/** The JSON of a body. Throws for any other: a form of another page can send no JSON without asking first. */
export async function jsonIn(c: Context): Promise<unknown> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json(?:\s*;|$)/i.test(type)) {
    const hint = "Send the header Content-Type: application/json, and JSON.";
    throw new RefusedError(415, "serve/no-json", "The body must be JSON.", hint);
  }
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("The body is not JSON.");
  }
}

export function tooLong(): RefusedError {
  const message = `The body is longer than ${String(MOST_BODY)} bytes.`;
  return new RefusedError(413, "serve/too-long", message, "Put long texts into a file.");
}

function badRequest(message: string): RefusedError {
  const hint = "docs/dashboard.md says what each address takes.";
  return new RefusedError(400, "serve/bad-request", message, hint);
}
