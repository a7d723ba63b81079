import type { Actor } from "../../machine/actor.ts";
import type { RunId } from "../../machine/run-state.ts";
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
