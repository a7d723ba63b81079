import { fleetErrors } from "../errors.ts";

export interface DatabaseAddress {
  /** With the password: never shown. */
  readonly url: string;
  /** Without the password. */
  readonly shown: string;
  /** Connections do not leave this machine. */
  readonly isLocal: boolean;
}

/**
 * Parses the URL of a database. Connections to a remote host use TLS and verify the certificate, unless the
 * URL contains `sslmode=no-verify`. Throws `fleet/bad-url`, or `fleet/plain-text` if the URL disables TLS.
 */
export function readAddress(text: string): DatabaseAddress {
  const url = parse(text);
  // Of repeated parameters, the client uses the last.
  const last = (name: string) => url.searchParams.getAll(name).at(-1) ?? null;
  const host = last("host") ?? url.hostname;
  if (host === "") throw fleetErrors["fleet/bad-url"](text, "names no host");
  if (url.pathname.length <= 1) throw fleetErrors["fleet/bad-url"](text, "names no database");
  // The client decodes these parts, and fails with an unclear error.
  if (![url.username, url.password, url.pathname].every(isPercentEncoded)) {
    throw fleetErrors["fleet/bad-url"](text, "has a % that does not encode a character");
  }
  const isLocal = isThisMachine(host);
  const shown = shownOf(url);
  const mode = last("sslmode");
  const plain = mode === "disable" || /^(?:false|0)$/.test(last("ssl") ?? "");
  if (!isLocal && plain) throw fleetErrors["fleet/plain-text"](shown, host);
  // The client treats weaker modes like this one, with a warning.
  const strict = mode === null ? !isLocal : !["disable", "no-verify"].includes(mode);
  if (strict) url.searchParams.set("sslmode", "verify-full");
  return { url: url.href, shown, isLocal };
}

function parse(text: string): URL {
  if (!URL.canParse(text)) throw fleetErrors["fleet/bad-url"](text, "is not a URL");
  const url = new URL(text);
  if (url.protocol === "postgresql:" || url.protocol === "postgres:") return url;
  throw fleetErrors["fleet/bad-url"](text, "does not start with postgresql://");
}

function isPercentEncoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function shownOf(url: URL): string {
  const shown = new URL(url);
  shown.password = "";
  shown.searchParams.delete("password");
  return shown.href;
}

/** A path is a socket. */
function isThisMachine(host: string): boolean {
  if (host.startsWith("/") || host === "localhost") return true;
  return host === "[::1]" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
