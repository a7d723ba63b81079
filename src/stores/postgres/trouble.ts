import { errorCode } from "../../core/error-code.ts";
import type { RaymondError } from "../../core/errors.ts";
import type { DatabaseAddress } from "./address.ts";
import { DatabaseAwayError, DatabaseRefusedError, NoSchemaError } from "./errors.ts";

/** What a failed query, or a failed connection, means for whoever has asked. */
export type Trouble =
  /** Nothing was done, and the same again may well succeed: a deadlock, a conflict. */
  | { readonly kind: "again" }
  /** The connection is gone, and perhaps what was asked is done: it comes back by itself. */
  | { readonly kind: "away"; readonly error: RaymondError }
  /** Nothing was done, and somebody may make room while it is waited for. */
  | { readonly kind: "full"; readonly error: RaymondError }
  /** It takes a person. */
  | { readonly kind: "refused"; readonly error: RaymondError }
  /** Nothing that is known: a bug. */
  | { readonly kind: "bug" };

/** What an error of the client means. */
export function troubleOf(error: unknown, { shown }: DatabaseAddress): Trouble {
  const reason = errorCode(error);
  if (reason !== null && AGAIN.has(reason)) return { kind: "again" };
  if (reason === "42P01" || reason === "3F000" || reason === "42703")
    return { kind: "refused", error: new NoSchemaError(shown) };
  if (reason === "53100" || isDiskFull(error, reason)) {
    const [why, hint] = DISK_FULL;
    return { kind: "full", error: new DatabaseRefusedError(shown, { why, hint, reason }, error) };
  }
  const refusal = reason === null ? undefined : REFUSED[reason];
  if (reason === "28000" && messageOf(error).includes("no encryption")) {
    return refused(shown, NOT_IN_PLAIN_TEXT, reason, error);
  }
  if (refusal !== undefined) return refused(shown, refusal, reason, error);
  if (isCertificateFile(error)) return refused(shown, NO_FILE, reason, error);
  if (reason !== null && CERTIFICATE.test(reason)) {
    return refused(shown, certificateWords(reason), reason, error);
  }
  if (messageOf(error).includes("does not support SSL connections")) {
    return refused(shown, NO_TLS, reason, error);
  }
  // The client has no code for it.
  if (messageOf(error).includes("client password must be")) {
    return refused(shown, NO_PASSWORD, reason, error);
  }
  if (reason !== null && /^(?:XX|58|53)/.test(reason) && !ABSENT.has(reason)) {
    return refused(shown, [`it reports: ${messageOf(error)}`, SERVER_LOG], reason, error);
  }
  const absence = absenceOf(error, reason);
  if (absence !== null) {
    const [why, hint] = absence;
    return { kind: "away", error: new DatabaseAwayError(shown, { why, hint, reason }, error) };
  }
  return { kind: "bug" };
}

/** What another library has asked of the database: rejects with what that means for people, where it is the database's doing. */
export async function inWords<T>(address: DatabaseAddress, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    // The library may say it in words of its own, around what it was told.
    const told = error instanceof Error && "error" in error ? error.error : error;
    const trouble = troubleOf(told, address);
    throw "error" in trouble ? trouble.error : error;
  }
}

type Words = readonly [why: string, hint: string];

function refused(
  shown: string,
  [why, hint]: Words,
  reason: string | null,
  cause: unknown,
): Trouble {
  return { kind: "refused", error: new DatabaseRefusedError(shown, { why, hint, reason }, cause) };
}

/** PostgreSQL reports some writes that a full disk refuses as internal errors, before 16 without their cause. */
function isDiskFull(error: unknown, reason: string | null): boolean {
  if (reason === null || !/^(?:XX|58)/.test(reason)) return false;
  return /no space left on device|could not write init file/i.test(messageOf(error));
}

/** Serialization failure, deadlock, lock not available. */
const AGAIN: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);

const REFUSED: Readonly<Record<string, Words>> = {
  "28P01": [
    "the password, or the user, is wrong",
    "Correct it in the URL: what is no letter, digit, -, . or _ is written as %XX there.",
  ],
  "28000": [
    "this user may not come in from here",
    "Look at pg_hba.conf of the server, and at the user in the URL.",
  ],
  "3D000": [
    "there is no database of that name on the server",
    "Make it, by psql as its administrator: CREATE DATABASE raymond OWNER raymond",
  ],
  "42501": [
    "its user may not do that there",
    'Who may only look cannot do it: take the URL of the user that owns the database, or let this one own it by ALTER DATABASE … OWNER TO … (docs/fleet.md, "Roles").',
  ],
  "25006": [
    "it is read-only, as a standby is",
    "Name the primary server in the URL, or end the recovery.",
  ],
  ENOTFOUND: ["no machine is known by this name", "Correct the host in the URL."],
};

const DISK_FULL: Words = [
  "the disk of the server is full",
  "Make room there. What was saved last is intact, and nothing more is started before a save succeeds.",
];

const NO_TLS: Words = [
  "it offers no TLS, which its URL asks for, as every one beyond this machine does",
  'Let the server have a certificate: ssl = on (docs/fleet.md, "TLS").',
];

/** Its pg_hba.conf has nothing for a connection that is not encrypted, and perhaps nothing at all. */
const NOT_IN_PLAIN_TEXT: Words = [
  "this user may not come in from here without TLS, and its URL does not ask for that",
  'Add sslmode=verify-full to the URL, with sslrootcert=/path/to/ca.pem where no public authority has signed its certificate (docs/fleet.md, "TLS"). Where TLS does not help either, look at pg_hba.conf of the server.',
];

const NO_PASSWORD: Words = [
  "it asks for a password, and its URL has none",
  "Write it into the URL, postgresql://user:password@host/raymond: what is no letter, digit, -, . or _ is written as %XX there.",
];

const NO_FILE: Words = [
  "a file that its URL names cannot be read",
  "Correct sslrootcert, sslcert or sslkey in the URL.",
];

function isCertificateFile(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "open";
}

const CERTIFICATE = /^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function certificateWords(reason: string): Words {
  return [
    `its certificate does not prove that it is this server (${reason})`,
    'Name what has signed it by sslrootcert=/path/to/ca.pem in the URL, and the server as its certificate does (docs/fleet.md, "TLS").',
  ];
}

const WAIT_FOR_IT: Words[1] =
  "See whether it runs, and whether host and port in the URL are right.";

const SERVER_LOG = "See the log of the server for the cause.";

/** Too many connections: that passes. */
const ABSENT: ReadonlySet<string> = new Set(["53300"]);

/** Null for what does not come of a connection. */
function absenceOf(error: unknown, reason: string | null): Words | null {
  if (reason === "53300") {
    return [
      "it has as many connections as it takes (max_connections)",
      'Raise max_connections there, or let fewer workers run: each needs up to twenty (docs/fleet-operations.md, "PostgreSQL").',
    ];
  }
  if (reason === "57P03") return ["it is starting, or stopping", "Wait for it."];
  if (reason === "ECONNREFUSED") return ["nothing listens there", WAIT_FOR_IT];
  if (reason === "ENOENT" || reason === "EACCES")
    return ["its socket cannot be opened", WAIT_FOR_IT];
  if (reason !== null && (reason.startsWith("08") || GONE.has(reason))) {
    return ["the connection was lost", WAIT_FOR_IT];
  }
  const message = messageOf(error);
  if (/timeout/i.test(message)) return ["it does not answer", WAIT_FOR_IT];
  // The client has no codes for these.
  return /connection (?:terminated|error)|not queryable|closed/i.test(message)
    ? ["the connection was lost", WAIT_FOR_IT]
    : null;
}

const GONE: ReadonlySet<string> = new Set([
  ...["57P01", "57P02", "57P05", "25P03"],
  ...[
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ECONNABORTED",
    "EAI_AGAIN",
  ],
]);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}
