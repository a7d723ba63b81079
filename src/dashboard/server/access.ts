import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Context } from "hono";
import { RaymondError } from "../../language/basics/errors.ts";
import { serveErrors } from "./errors.ts";
import { BARE_STYLE } from "./headers.ts";
import { problemOf, statusOf } from "./problem.ts";

/** Access control of the server (docs/dashboard.md, "Security"), with a new token. */
export function newAccessControl(at: { readonly host: string; readonly port: number }) {
  const token = randomBytes(32).toString("base64url");
  // Browsers send cookies to all ports of a host: the name distinguishes servers of this machine.
  const name = `raymond_${String(at.port)}`;
  const cookie = `${name}=${createHmac("sha256", token).update(name).digest("base64url")}`;
  const hosts = hostNames(at);

  /** Throws unless `Host` and `Origin` are those of this server. */
  const checkOrigin = (request: Request): void => {
    const host = request.headers.get("host")?.toLowerCase() ?? "";
    if (!hosts.has(host)) throw serveErrors["serve/wrong-host"]();
    const origin = request.headers.get("origin");
    if (origin === null ? request.method === "POST" : origin.toLowerCase() !== `http://${host}`) {
      throw serveErrors["serve/wrong-origin"]();
    }
  };

  return {
    /** The secret in the printed address. */
    token,
    /** The `Set-Cookie` header that signs a browser in. */
    cookie: `${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    isToken: (given: string) => isEqual(given, token),
    checkOrigin,
    /** Throws unless the request comes from our own page in a browser that is signed in. */
    checkRequest(request: Request): void {
      checkOrigin(request);
      // "same-site" includes other ports of this machine.
      const site = request.headers.get("sec-fetch-site") ?? "same-origin";
      if (site !== "same-origin" && site !== "none") throw serveErrors["serve/wrong-origin"]();
      const cookies = (request.headers.get("cookie") ?? "").split(";");
      if (!cookies.some((each) => isEqual(each.trim(), cookie)))
        throw serveErrors["serve/not-let-in"]();
    },
  };
}

export type AccessControl = ReturnType<typeof newAccessControl>;

/** Constant-time comparison, independent of the lengths. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** Valid `Host` headers. A foreign DNS name that resolves to this machine (DNS rebinding) is not among them. */
function hostNames({ host, port }: { readonly host: string; readonly port: number }) {
  const own = isEverywhere(host)
    ? [hostname(), ...addresses().map(({ address }) => address)]
    : [host];
  const names = ["127.0.0.1", "localhost", "::1", ...own].map((name) =>
    urlHost(name).toLowerCase(),
  );
  return new Set(
    names.flatMap((name) => [`${name}:${String(port)}`, ...(port === 80 ? [name] : [])]),
  );
}

function addresses() {
  return Object.values(networkInterfaces()).flatMap((all) => all ?? []);
}

function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** Hosts for the printed addresses: those that other machines can use first. */
export function reachableHosts(host: string): readonly string[] {
  if (!isEverywhere(host)) return [host];
  const outside = addresses().filter(({ internal, family, scopeid }) => {
    // Browsers do not support the interface suffix that link-local addresses need.
    return !internal && (family === "IPv4" || (host === "::" && scopeid === 0));
  });
  return [...outside.map(({ address }) => address), "127.0.0.1"];
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** A host as written in a URL. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

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
