import { errorCode } from "../../language/basics/error-code.ts";
import type { RaymondError } from "../../language/basics/errors.ts";
import { type DatabaseProblem, fleetErrors } from "../errors.ts";
import type { DatabaseAddress } from "./address.ts";

/** What a failed query or connection means for the caller. */
export type DatabaseFailure =
  /** The server rolled everything back, and a retry may succeed: a deadlock, a conflict. */
  | { readonly kind: "again" }
  /** The connection is lost, and the query may have been executed. It can be retried later. */
  | { readonly kind: "away"; readonly error: RaymondError }
  /** The disk of the server is full. Nothing was executed, and a retry may succeed later. */
  | { readonly kind: "full"; readonly error: RaymondError }
  /** A person has to fix the cause. */
  | { readonly kind: "refused"; readonly error: RaymondError }
  /** An unknown error: a bug. */
  | { readonly kind: "bug" };

/** Classifies an error of the PostgreSQL client. */
export function classifyError(error: unknown, { shown }: DatabaseAddress): DatabaseFailure {
  const reason = errorCode(error) ?? "";
  const message = error instanceof Error ? error.message : "";
  if (RETRYABLE.has(reason)) return { kind: "again" };
  if (MISSING_TABLES.has(reason))
    return { kind: "refused", error: fleetErrors["fleet/no-schema"](shown) };
  if (reason === "53100" || isDiskFull(message, reason))
    return { kind: "full", error: fleetErrors["fleet/refused"](shown, DISK_FULL, error) };
  const refusal = refusalOf(error, reason, message);
  if (refusal !== null)
    return { kind: "refused", error: fleetErrors["fleet/refused"](shown, refusal, error) };
  const absence = absenceOf(message, reason);
  if (absence !== null)
    return { kind: "away", error: fleetErrors["fleet/away"](shown, absence, error) };
  return { kind: "bug" };
}

/** Translates database errors of another library into ours; other errors stay as they are. */
export async function translateErrors<T>(address: DatabaseAddress, query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    // The library may wrap the error of the client.
    const cause = error instanceof Error && "error" in error ? error.error : error;
    const failure = classifyError(cause, address);
    throw "error" in failure ? failure.error : error;
  }
}

/** Serialization failure, deadlock, lock not available. */
const RETRYABLE: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);

/** Undefined table, schema or column. */
const MISSING_TABLES: ReadonlySet<string> = new Set(["42P01", "3F000", "42703"]);

/** PostgreSQL reports some failed writes on a full disk as internal errors; before version 16 without the cause. */
function isDiskFull(message: string, reason: string): boolean {
  if (!/^(?:XX|58)/.test(reason)) return false;
  return /no space left on device|could not write init file/i.test(message);
}

/** Null for errors that a person does not need to fix. */
function refusalOf(error: unknown, reason: string, message: string): DatabaseProblem | null {
  if (reason === "28000" && message.includes("no encryption")) return TLS_REQUIRED;
  if (reason === "42501") return lacksRole(message);
  const known = REFUSED[reason];
  if (known !== undefined) return known;
  if (error instanceof Error && "syscall" in error && error.syscall === "open")
    return UNREADABLE_FILE;
  if (CERTIFICATE.test(reason)) return badCertificate(reason);
  // The client has no codes for these two.
  if (message.includes("does not support SSL connections")) return NO_TLS;
  if (message.includes("client password must be")) return NO_PASSWORD;
  if (/^(?:XX|58|53)/.test(reason) && reason !== TOO_MANY_CONNECTIONS)
    return { why: `the server reports: ${message}`, hint: "See the server log for the cause." };
  return null;
}

const REFUSED: Readonly<Record<string, DatabaseProblem>> = {
  "28P01": {
    why: "the user or the password is wrong",
    hint: "Correct the URL. In the password, write any character except letters, digits, - . _ as %XX.",
  },
  "28000": {
    why: "this user may not connect from this host",
    hint: "Check pg_hba.conf on the server and the user in the URL.",
  },
  "3D000": {
    why: "the server has no database of that name",
    hint: "Create it as administrator in psql: CREATE DATABASE raymond OWNER raymond",
  },
  "25006": {
    why: "it is read-only, like a standby",
    hint: "Use the URL of the primary server, or promote this one.",
  },
  ENOTFOUND: { why: "the host name cannot be resolved", hint: "Correct the host in the URL." },
};

/** Which role of the fleet may do what was refused, by the table in the message of the server. */
function lacksRole(message: string): DatabaseProblem {
  const role = message.includes("row-level security")
    ? "operator"
    : (ROLE_OF_TABLE.find(([, table]) => table.test(message))?.[0] ?? "owner");
  return needs(role);
}

function needs(role: keyof typeof NEEDED): DatabaseProblem {
  return {
    why: `its user lacks the permission for this: ${NEEDED[role]}`,
    hint: 'Use the URL of a user with that role (docs/fleet.md, "Roles").',
  };
}

const NEEDED = {
  submitter:
    "it requires the role submitter for runs that the same user has submitted, and operator for all others",
  operator: "it requires the role operator",
  worker: "it requires the role worker",
  owner: "it requires the owner of the database",
} as const;

export const OWNER_NEEDED = needs("owner");

/** The first match counts. */
const ROLE_OF_TABLE: readonly (readonly [keyof typeof NEEDED, RegExp])[] = [
  ["owner", /\b(?:migrations|schema|database|dbos_migrations)\b/],
  ["operator", /\b(?:schedules|accounts)\b/],
  ["worker", /\b(?:machines|slots|waiters|run_starts|transcripts|conversations)\b/],
  [
    "submitter",
    /\b(?:audit|runs|workflows|holders|epochs|payloads|journal|events|answers|control_requests|ledger|account_days|workflow_status|queues)\b/,
  ],
];

const DISK_FULL: DatabaseProblem = {
  why: "the disk of the server is full",
  hint: "Free some space there. The last saved state is intact, and no step starts until a save succeeds.",
};

const NO_TLS: DatabaseProblem = {
  why: "the server does not support TLS, which is required for a remote host",
  hint: 'Configure a certificate on the server: ssl = on (docs/fleet.md, "TLS").',
};

/** pg_hba.conf has no entry for unencrypted connections, and possibly no entry at all. */
const TLS_REQUIRED: DatabaseProblem = {
  why: "the server rejects connections without TLS from this host",
  hint: 'Add sslmode=verify-full to the URL, and sslrootcert=/path/to/ca.pem for a private CA (docs/fleet.md, "TLS"). If that does not help, check pg_hba.conf on the server.',
};

const NO_PASSWORD: DatabaseProblem = {
  why: "the server requires a password, and the URL has none",
  hint: "Add it to the URL: postgresql://user:password@host/raymond. Write any character except letters, digits, - . _ as %XX.",
};

const UNREADABLE_FILE: DatabaseProblem = {
  why: "a file in its URL cannot be read",
  hint: "Correct sslrootcert, sslcert or sslkey in the URL.",
};

const CERTIFICATE = /^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function badCertificate(reason: string): DatabaseProblem {
  return {
    why: `its TLS certificate is not trusted (${reason})`,
    hint: 'Add sslrootcert=/path/to/ca.pem to the URL, and use the host name of the certificate (docs/fleet.md, "TLS").',
  };
}

const CHECK_SERVER = "Check that the server is running, and the host and port in the URL.";
const TOO_MANY_CONNECTIONS = "53300";

const ABSENT: Readonly<Record<string, DatabaseProblem>> = {
  [TOO_MANY_CONNECTIONS]: {
    why: "it has reached its connection limit (max_connections)",
    hint: 'Raise max_connections on the server, or run fewer workers: each uses up to 20 connections (docs/fleet-operations.md, "PostgreSQL").',
  },
  "57P03": { why: "the server is starting or shutting down", hint: "Wait and try again." },
  ECONNREFUSED: { why: "connection refused", hint: CHECK_SERVER },
  ENOENT: { why: "its socket cannot be opened", hint: CHECK_SERVER },
  EACCES: { why: "its socket cannot be opened", hint: CHECK_SERVER },
};

/** Null for errors that are not about the connection. */
function absenceOf(message: string, reason: string): DatabaseProblem | null {
  const known = ABSENT[reason];
  if (known !== undefined) return known;
  const lost = { why: "the connection was lost", hint: CHECK_SERVER };
  if (reason.startsWith("08") || CONNECTION_LOST.has(reason)) return lost;
  if (/timeout/i.test(message)) return { why: "it does not respond", hint: CHECK_SERVER };
  // The client has no codes for these.
  return /connection (?:terminated|error)|not queryable|closed/i.test(message) ? lost : null;
}

const CONNECTION_LOST: ReadonlySet<string> = new Set([
  ...["57P01", "57P02", "57P05", "25P03", "EAI_AGAIN"],
  ...["ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ECONNABORTED"],
]);
