import { ACTED_VIA, type Actor } from "../../machine/model/actor.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { AuditAction } from "../../wire/run-source.ts";
import type { Queries } from "./database.ts";

export interface AuditEntry {
  readonly action: AuditAction;
  /** Null for an action on the fleet. */
  readonly run: RunId | null;
  readonly actor: Actor;
  /** What was changed, such as the name of a machine. */
  readonly detail?: string;
}

/**
 * Records a command before its effect. The database adds its own user and time. Rejects if the user
 * may not give this command.
 */
export async function recordAudit(
  on: Queries,
  { action, run, actor, detail = "" }: AuditEntry,
): Promise<void> {
  await on.query("INSERT INTO raymond.audit (action, run, actor, detail) VALUES ($1, $2, $3, $4)", [
    action,
    run,
    JSON.stringify(actor),
    detail,
  ]);
}

/** An entry of the table. Only the database sets `at` and `dbUser`: the rest is as its user claims. */
export interface AuditRecord {
  readonly at: Date;
  readonly action: string;
  readonly run: RunId | null;
  readonly actor: Actor;
  readonly detail: string;
  readonly dbUser: string;
}

/** The last entries, oldest first. `runs`: only of these; null: all. `limit`: null for none. */
export async function listAudit(
  on: Queries,
  { runs, limit }: { readonly runs: readonly RunId[] | null; readonly limit: number | null },
): Promise<readonly AuditRecord[]> {
  const rows = await on.query<AuditRow>(
    `SELECT at, action, run, detail, db_user, actor->>'user' AS "user", actor->>'host' AS host,
            actor->>'via' AS via, actor->>'sudoUser' AS sudo_user
       FROM raymond.audit WHERE $1::text[] IS NULL OR run = ANY($1) ORDER BY id DESC LIMIT $2`,
    [runs, limit],
  );
  return rows.toReversed().map(({ at, action, run, detail, ...row }) => ({
    ...{ at, action, run, detail, dbUser: row.db_user },
    actor: {
      ...{ user: row.user, host: row.host },
      via: ACTED_VIA.find((known) => known === row.via) ?? "command",
      ...(row.sudo_user !== null && { sudoUser: row.sudo_user }),
    },
  }));
}

interface AuditRow {
  readonly at: Date;
  readonly action: string;
  readonly run: RunId | null;
  readonly detail: string;
  readonly db_user: string;
  readonly user: string | null;
  readonly host: string | null;
  readonly via: string | null;
  readonly sudo_user: string | null;
}
