import { readControlRequest } from "../../../storage/codec/control-request.ts";
import { endCooldown } from "../../queue/admission/account-slots.ts";
import type { Database } from "../../store/database.ts";
import { moveRequests } from "../../store/rows/moves.ts";
import type { ActiveRuns } from "./active-runs.ts";

/** Delivers control requests to the runs of this worker, each once, and interrupts runs that are to move. */
export async function deliverRequests(activeRuns: ActiveRuns, database: Database): Promise<void> {
  const { ids } = activeRuns;
  if (ids.length === 0) return;
  const rows = await database.query<{ id: string; run: string; request: string }>(
    "DELETE FROM raymond.control_requests WHERE run = ANY($1) RETURNING id, run, request",
    [ids],
  );
  for (const { run, request: text } of rows.toSorted((a, b) => Number(a.id) - Number(b.id))) {
    const request = readControlRequest(text);
    // Users of the database may have written anything.
    if (request === null) continue;
    // Otherwise the cooldown of the account would still block the retry.
    if ("retry" in request) await endCooldown(database, run).catch(() => undefined);
    for (const active of activeRuns.of(run)) active.deliver(request);
  }
  for (const run of await moveRequests(database, activeRuns.ids)) {
    for (const active of activeRuns.of(run)) active.interrupt();
  }
}
