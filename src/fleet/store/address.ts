import { fleetErrors } from "../errors.ts";

/** A database that a fleet lives in, as its URL names it. */
export interface DatabaseAddress {
  /** With all that a client needs: the password too. Never shown. */
  readonly url: string;
  /** Without the password. */
  readonly shown: string;
  /** What is said between here and there never leaves this machine. */
  readonly isLocal: boolean;
}

/**
 * Reads the URL of a database. Off this machine what is said is encrypted, and the
 * server must prove who it is, unless the URL asks for less by `sslmode=no-verify`.
 * Throws a `fleet/bad-url`, or a `fleet/plain-text` where it asks for
 * no encryption at all.
 */
export function readAddress(text: string): DatabaseAddress {
  const url = parse(text);
  // Of several the client takes the last.
  const last = (name: string) => url.searchParams.getAll(name).at(-1) ?? null;
  const host = last("host") ?? url.hostname;
  if (host === "") throw fleetErrors["fleet/bad-url"](text, "names no host");
  if (databaseOf(url) === "") throw fleetErrors["fleet/bad-url"](text, "names no database");
  // The client reads each of them, and calls it a bug.
  if (![url.username, url.password, url.pathname].every(isPercentEncoded)) {
    throw fleetErrors["fleet/bad-url"](text, "has a % that does not encode a character");
  }
  const isLocal = isThisMachine(host);
  const shown = shownOf(url);
  const mode = last("sslmode");
  const plain = mode === "disable" || /^(?:false|0)$/.test(last("ssl") ?? "");
  if (!isLocal && plain) throw fleetErrors["fleet/plain-text"](shown, host);
  // The weaker words would be taken for this one anyway, with a warning of the client.
  const strict = mode === null ? !isLocal : !["disable", "no-verify"].includes(mode);
  if (strict) url.searchParams.set("sslmode", "verify-full");
  return { url: url.href, shown, isLocal };
}

function parse(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw fleetErrors["fleet/bad-url"](text, "is no URL");
  }
  if (url.protocol === "postgresql:" || url.protocol === "postgres:") return url;
  throw fleetErrors["fleet/bad-url"](text, "does not begin with postgresql://");
}

function isPercentEncoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function databaseOf(url: URL): string {
  return url.pathname.replace(/^\//, "");
}

function shownOf(url: URL): string {
  const shown = new URL(url);
  shown.password = "";
  shown.searchParams.delete("password");
  return shown.href;
}

/** Of a socket it is a path. */
function isThisMachine(host: string): boolean {
  if (host.startsWith("/") || host === "localhost") return true;
  return host === "[::1]" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
