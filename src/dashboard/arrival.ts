import type { Context } from "hono";
import type { Door } from "./door.ts";
import { RefusedError } from "./errors.ts";
import { BARE_STYLE } from "./headers.ts";
import { problemOf } from "./problem.ts";

/** Whether somebody opens the page, and does not go on from it. */
export function isArrival(c: Context): boolean {
  return c.req.method === "GET" && c.req.path === "/";
}

/**
 * Lets in who brings the token, and leads to the address without it. Whoever has no cookie then is told where
 * the address is: as a page, for a person reads it. Null for a browser that was let in before.
 */
export function arrive(c: Context, door: Door): Response | null {
  door.checkPlace(c.req.raw);
  const token = c.req.query("token");
  if (token !== undefined && door.isToken(token)) {
    c.header("set-cookie", door.cookie);
    return c.redirect("/", 303);
  }
  // What leads here from elsewhere is sent no cookie. A page of our own that leads on is.
  if (token === undefined && isFromElsewhere(c)) return c.html(page(ONWARD, "One moment …"));
  try {
    if (token === undefined) {
      door.check(c.req.raw);
      return null;
    }
    throw wrongToken();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { message, hint } = problemOf(error);
    return c.html(page("", `${message} ${hint ?? ""}`), error.status);
  }
}

function isFromElsewhere(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

const ONWARD = '<meta http-equiv="refresh" content="0;url=/">';

/** The words are our own: nothing of a request is in them. */
function page(head: string, words: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}<title>raymond</title><style>${BARE_STYLE}</style><main><h1>raymond</h1><p>${words}</p></main></html>`;
}

function wrongToken(): RefusedError {
  return new RefusedError(
    401,
    "serve/wrong-token",
    "The token in the address is not that of this server.",
    "Open the address that raymond serve has printed when it was started: each start has a new one.",
  );
}
