import type { Context } from "hono";
import { RaymondError } from "../../language/basics/errors.ts";
import type { AccessControl } from "./access.ts";
import { serveErrors } from "./errors.ts";
import { BARE_STYLE } from "./headers.ts";
import { problemOf, statusOf } from "./problem.ts";

/** Whether the request loads the page itself. */
export function isPageRequest(c: Context): boolean {
  return c.req.method === "GET" && c.req.path === "/";
}

/**
 * Exchanges the token for a cookie and redirects to the address without it. Without token and cookie, the response
 * is a page that explains where to find the address. Null for a browser that is signed in.
 */
export function signIn(c: Context, door: AccessControl): Response | null {
  door.checkOrigin(c.req.raw);
  const token = c.req.query("token");
  if (token !== undefined && door.isToken(token)) {
    c.header("set-cookie", door.cookie);
    return c.redirect("/", 303);
  }
  // Browsers omit the SameSite cookie after a link on another site. A reload from our own page sends it.
  if (token === undefined && isFromOtherSite(c)) return c.html(page(RELOAD, "Loading …"));
  try {
    if (token === undefined) {
      door.checkRequest(c.req.raw);
      return null;
    }
    throw serveErrors["serve/wrong-token"]();
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    const { message, hint } = problemOf(error);
    return c.html(page("", `${message} ${hint ?? ""}`), statusOf(error));
  }
}

function isFromOtherSite(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

const RELOAD = '<meta http-equiv="refresh" content="0;url=/">';

/** `text` is not escaped: it must not contain any part of a request. */
function page(head: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}<title>raymond</title><style>${BARE_STYLE}</style><main><h1>raymond</h1><p>${text}</p></main></html>`;
}
