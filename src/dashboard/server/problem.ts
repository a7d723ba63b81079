import { RaymondError } from "../../language/basics/errors.ts";
import type { ProblemJson } from "../api.ts";

/** The body of an error response. The page shows no details of bugs: the terminal of the server does. */
export function problemOf(error: unknown): ProblemJson {
  if (error instanceof RaymondError) {
    return { code: error.code, message: error.message, hint: error.hint ?? null };
  }
  return {
    code: "serve/bug",
    message: "Internal error: this is a bug in raymond.",
    hint: "The terminal of raymond serve shows the details.",
  };
}

/** Whether the database of a fleet cannot be reached at the moment. The server keeps trying. */
export function isAway(error: unknown): boolean {
  return error instanceof RaymondError && error.code === "fleet/away";
}

/** HTTP statuses of error responses (docs/dashboard.md, "HTTP API"). */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 422 | 500 | 503;

export function statusOf(error: unknown): ErrorStatus {
  return error instanceof RaymondError ? (STATUSES.get(error.code) ?? 409) : 500;
}

const STATUSES: ReadonlyMap<string, ErrorStatus> = new Map([
  ["serve/bad-request", 400],
  ["serve/not-let-in", 401],
  ["serve/wrong-token", 401],
  ["serve/outside", 403],
  ["serve/read-only", 403],
  ["serve/wrong-origin", 403],
  ["run/no-event-log", 404],
  ["run/scope-gone", 404],
  ["run/unknown-agent", 404],
  ["run/unknown-step", 404],
  ["serve/no-such-action", 404],
  ["serve/no-such-address", 404],
  ["serve/no-such-folder", 404],
  ["serve/no-such-run", 404],
  ["store/unknown-run", 404],
  ["workflow/not-found", 404],
  ["serve/wrong-method", 405],
  ["serve/too-long", 413],
  ["serve/no-json", 415],
  ["serve/wrong-host", 421],
  ["run/empty-answer", 422],
  ["run/not-an-option", 422],
  ["fleet/away", 503],
  ["serve/too-many", 503],
]);
