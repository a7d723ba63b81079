import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { RefusedError } from "./errors.ts";

/** Who may come in (docs/dashboard.md, "How it is kept safe"). */
export interface Door {
  /** What the printed address has, and nothing else knows. */
  readonly token: string;
  /** The header that makes a browser one that may come in. */
  readonly cookie: string;
  /** Whether this is the token. */
  isToken(given: string): boolean;
  /** Throws a {@link RefusedError} for a request that does not come from our own page, in a browser that was let in. */
  check(request: Request): void;
  /** The same, whether or not it was let in. */
  checkPlace(request: Request): void;
}

/** A door with a new token, for a server that listens there. */
export function newDoor(at: { readonly host: string; readonly port: number }): Door {
  const token = randomBytes(32).toString("base64url");
  // Cookies know no ports: each server of this machine has its own.
  const name = `raymond_${String(at.port)}`;
  const secret = createHmac("sha256", token).update(name).digest("base64url");
  const hosts = hostNames(at);

  const checkPlace = (request: Request): void => {
    const host = request.headers.get("host")?.toLowerCase() ?? "";
    if (!hosts.has(host)) throw wrongHost();
    const origin = request.headers.get("origin");
    if (origin === null ? request.method === "POST" : origin.toLowerCase() !== `http://${host}`) {
      throw wrongOrigin();
    }
  };

  return {
    token,
    cookie: `${name}=${secret}; HttpOnly; SameSite=Strict; Path=/`,
    isToken: (given) => isEqual(given, token),
    checkPlace,
    check(request) {
      checkPlace(request);
      // Another page on this machine is of the same site: ports do not count.
      const site = request.headers.get("sec-fetch-site") ?? "same-origin";
      if (site !== "same-origin" && site !== "none") throw wrongOrigin();
      const given = cookiesIn(request).filter(([key]) => key === name);
      if (!given.some(([, value]) => isEqual(value, secret))) throw notLetIn();
    },
  };
}

/** The time that it takes tells nothing of where they differ, nor of their lengths. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** What a browser may call the server: a name that somebody else's DNS leads here is none of these. */
function hostNames({ host, port }: { readonly host: string; readonly port: number }) {
  const own = isEverywhere(host)
    ? [
        hostname(),
        ...Object.values(networkInterfaces())
          .flatMap((all) => all ?? [])
          .map(({ address }) => address),
      ]
    : [host];
  const names = ["127.0.0.1", "localhost", "::1", ...own].map((name) =>
    inAddress(name).toLowerCase(),
  );
  return new Set(
    names.flatMap((name) => [`${name}:${String(port)}`, ...(port === 80 ? [name] : [])]),
  );
}

function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** The hosts of the addresses by which the server can be reached: those of other machines first. */
export function reachableHosts(host: string): readonly string[] {
  if (!isEverywhere(host)) return [host];
  const outside = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family, scopeid }) => {
      // A link-local address is of no use without the name of an interface, which no browser takes.
      return !internal && (family === "IPv4" || (host === "::" && scopeid === 0));
    });
  return [...outside.map(({ address }) => address), "127.0.0.1"];
}

/** Only this machine itself can reach it. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** A host as it stands in an address. */
export function inAddress(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function cookiesIn(request: Request): readonly (readonly [key: string, value: string])[] {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.map((pair) => {
    const [key = "", ...rest] = pair.split("=");
    return [key, rest.join("=")];
  });
}

function wrongHost(): RefusedError {
  return new RefusedError(
    421,
    "serve/wrong-host",
    "The server is not called so.",
    "Open the address that raymond serve has printed.",
  );
}

function wrongOrigin(): RefusedError {
  return new RefusedError(
    403,
    "serve/wrong-origin",
    "The request comes from another page.",
    "Open the address that raymond serve has printed.",
  );
}

function notLetIn(): RefusedError {
  return new RefusedError(
    401,
    "serve/not-let-in",
    "This browser was not let in.",
    "Open the address that raymond serve has printed when it was started: each start has a new one.",
  );
}
