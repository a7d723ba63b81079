import { RaymondError } from "../core/errors.ts";
import type { ProblemJson } from "./api.ts";
import { RefusedError } from "./errors.ts";

/** What a browser is told of an error: of a bug no more than that it is one. */
export function problemOf(error: unknown): ProblemJson {
  if (error instanceof RaymondError) {
    return { code: error.code, message: error.message, hint: error.hint ?? null };
  }
  return {
    code: "serve/bug",
    message: "This is a bug in raymond.",
    hint: "Where raymond serve runs, its terminal shows more.",
  };
}

/** Whether the database of a fleet cannot be reached for now: it comes back by itself. */
export function isAway(error: unknown): boolean {
  return error instanceof RaymondError && error.code === AWAY;
}

const AWAY = "fleet/away";

/** The status of the answer that tells of an error (docs/dashboard.md, "What the page is sent"). */
export function statusOf(
  error: unknown,
): 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 422 | 500 | 503 {
  if (error instanceof RefusedError) return error.status;
  if (!(error instanceof RaymondError)) return 500;
  if (isAway(error)) return 503;
  if (NOT_THERE.has(error.code)) return 404;
  return NO_INPUT.has(error.code) ? 422 : 409;
}

const NOT_THERE: ReadonlySet<string> = new Set([
  "serve/no-such-run",
  "serve/no-such-folder",
  "store/unknown-run",
  "run/unknown-agent",
  "run/unknown-step",
  "run/no-event-log",
  "run/scope-gone",
  "workflow/not-found",
]);

const NO_INPUT: ReadonlySet<string> = new Set([
  "serve/bad-request",
  "run/not-an-option",
  "run/empty-answer",
]);
