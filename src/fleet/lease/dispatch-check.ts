import type { RunId } from "../../machine/run-state.ts";
import type { Prepared, Queries } from "../store/database.ts";
import {
  type AccountName,
  hasClient,
  type MachineId,
  needsClient,
  tied,
} from "../store/rows/placement.ts";

/** How a run stands that a machine was handed. */
export interface DispatchCheck {
  /** Which going on of it this is: `entry` of its placement. */
  readonly entry: number;
  readonly account: AccountName | null;
  /** The machine that is to go on with it in place of this one: its files are only there, or that is well and goes first. */
  readonly home: MachineId | null;
  /** This machine is to take nothing more. */
  readonly draining: boolean;
  /** It has prompts, which the client of a machine has to answer. */
  readonly needsClient: boolean;
  /** No other machine than this may take it. */
  readonly onlyHere: boolean;
}

/** How runs stand for this machine, in their order; null where nobody is to go on with one. */
export async function dispatchChecks(
  on: Queries,
  ids: readonly RunId[],
  machine: MachineId,
): Promise<readonly (DispatchCheck | null)[]> {
  const rows = await on.query<DispatchCheck & { readonly id: RunId }>(STANDING, [ids, machine]);
  const byId = new Map(rows.map(({ id, ...standing }) => [id, standing]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** What a worker had in hand DBOS puts into its first queue when that worker is back: any of the pool may be handed it then. */
const STANDING: Prepared = {
  name: "standing",
  text: `
SELECT r.id, r.account, (r.placement->>'entry')::integer AS entry, CASE WHEN r.home <> $2 AND r.placement->>'pinned' IS DISTINCT FROM $2 AND (
         ${tied("r")} OR (NOT m.draining AND raymond.is_alive(h)
           AND (NOT (${needsClient("r")}) OR ${hasClient("m", "r.account")}))
       ) THEN r.home END AS home,
       ${needsClient("r")} AS "needsClient",
       coalesce(r.placement->>'pinned' = $2, false) OR ${tied("r")} AS "onlyHere",
       coalesce((SELECT draining FROM raymond.machines WHERE id = $2), false) AS draining
  FROM raymond.runs r
  LEFT JOIN raymond.machines m ON m.id = r.home
  LEFT JOIN raymond.holders h ON h.id = m.holder
 WHERE r.id = ANY($1::text[]) AND r.placement @> '{"open": true}'`,
};
