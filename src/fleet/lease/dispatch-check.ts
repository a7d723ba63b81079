import type { RunId } from "../../machine/run-state.ts";
import type { Prepared, Queries } from "../store/database.ts";
import {
  type AccountName,
  hasClient,
  type MachineId,
  needsClient,
  tied,
} from "../store/rows/placement.ts";

/** The facts that decide whether a machine claims a run that was dispatched to it. */
export interface DispatchCheck {
  /** Number of the current queue entry. */
  readonly entry: number;
  readonly account: AccountName | null;
  /** Another machine that is to run it: its files are only there, or it is the home and in service. */
  readonly home: MachineId | null;
  /** This machine is draining. */
  readonly draining: boolean;
  /** It has prompts, so it needs a working client. */
  readonly needsClient: boolean;
  /** Only this machine may claim it. */
  readonly onlyHere: boolean;
}

/** In the order of `ids`; null for runs that no worker is to run. */
export async function dispatchChecks(
  on: Queries,
  ids: readonly RunId[],
  machine: MachineId,
): Promise<readonly (DispatchCheck | null)[]> {
  const rows = await on.query<DispatchCheck & { readonly id: RunId }>(CHECK, [ids, machine]);
  const byId = new Map(rows.map(({ id, ...check }) => [id, check]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** After a restart, DBOS dispatches the runs of a worker from a common queue, possibly to other machines. */
const CHECK: Prepared = {
  name: "dispatch_check",
  text: `
SELECT r.id, r.account, (r.placement->>'entry')::integer AS entry,
       CASE WHEN r.home <> $2 AND r.placement->>'pinned' IS DISTINCT FROM $2 AND (
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
