import type { RunId } from "../../core/machine/run-state.ts";
import type { Queries } from "./database.ts";
import { type AccountName, type MachineId, tied } from "./placement.ts";

/** How a run stands that a machine was handed. */
export interface Standing {
  /** Which going on of it this is: `go` of its placement. */
  readonly go: number;
  readonly account: AccountName | null;
  /** The machine that is to go on with it in place of this one: its files are only there, or that is well and goes first. */
  readonly home: MachineId | null;
}

/** How a run stands for this machine; null where nobody is to go on with it. */
export async function standingOf(
  on: Queries,
  id: RunId,
  machine: MachineId,
): Promise<Standing | null> {
  const [row] = await on.query<Standing>(STANDING, [id, machine]);
  return row ?? null;
}

/** What a worker had in hand DBOS puts into its first queue when that worker is back: any of the pool may be handed it then. */
const STANDING = `
SELECT r.account, (r.placement->>'go')::integer AS go, CASE WHEN r.home <> $2 AND r.placement->>'pinned' IS DISTINCT FROM $2 AND (
         ${tied("r")} OR (NOT m.draining AND raymond.lives(h))
       ) THEN r.home END AS home
  FROM raymond.runs r
  LEFT JOIN raymond.machines m ON m.id = r.home
  LEFT JOIN raymond.holders h ON h.id = m.holder
 WHERE r.id = $1 AND r.placement @> '{"open": true}'`;
