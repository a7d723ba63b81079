import type { ContentfulStatusCode } from "hono/utils/http-status";
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

export function statusOf(error: unknown): ContentfulStatusCode {
  if (!(error instanceof RaymondError)) return 500;
  return STATUSES.find(([, codes]) => codes.includes(error.code))?.[0] ?? 409;
}

/** HTTP statuses of error codes (docs/dashboard.md, "HTTP API"). */
const STATUSES: readonly (readonly [ContentfulStatusCode, readonly string[]])[] = [
  [400, ["serve/bad-request"]],
  [401, ["serve/not-let-in", "serve/wrong-token"]],
  [403, ["serve/outside", "serve/read-only", "serve/wrong-origin"]],
  [404, ["run/no-event-log", "run/scope-gone", "run/unknown-agent", "run/unknown-step"]],
  [404, ["serve/no-such-action", "serve/no-such-address", "serve/no-such-folder"]],
  [404, ["serve/no-such-run", "store/unknown-run", "workflow/not-found"]],
  [405, ["serve/wrong-method"]],
  [413, ["serve/too-long"]],
  [415, ["serve/no-json"]],
  [421, ["serve/wrong-host"]],
  [422, ["run/empty-answer", "run/not-an-option", "run/set-invalid"]],
  [503, ["fleet/away", "serve/too-many"]],
];
