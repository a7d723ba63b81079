import type { Clock } from "../../engine/ports/clock.ts";
import type { ControlRequest } from "../../engine/ports/control-request.ts";
import { endCooldown } from "../queue/admission/account-slots.ts";
import type { Database } from "../store/database.ts";
import { moveRequests } from "../store/rows/moves.ts";
import type { ActiveRuns } from "../worker/runs/active-runs.ts";

interface RequestDelivery {
  readonly database: Database;
  readonly activeRuns: ActiveRuns;
  readonly clock: Clock;
  /** Poll interval, ms. */
  readonly everyMs: number;
  readonly until: AbortSignal;
}

/** Delivers control requests to the runs of this worker, each once, and interrupts runs that are to move. Never rejects. */
export async function deliverRequests(options: RequestDelivery): Promise<void> {
  const { activeRuns, clock, everyMs, until } = options;
  while (!until.aborted) {
    if (activeRuns.ids.length > 0) {
      await deliverPending(options);
      await interruptMoved(options);
    }
    await clock.sleep(everyMs, until);
  }
}

async function deliverPending({ database, activeRuns }: RequestDelivery): Promise<void> {
  const rows = await database
    .query<{ id: string; run: string; request: string }>(
      "DELETE FROM raymond.control_requests WHERE run = ANY($1) RETURNING id, run, request",
      [activeRuns.ids],
    )
    .catch(() => []);
  for (const { run, request: text } of rows.toSorted((a, b) => Number(a.id) - Number(b.id))) {
    const request = JSON.parse(text) as ControlRequest;
    // Otherwise the cooldown of the account would still block the retry.
    if ("retry" in request) await endCooldown(database, run).catch(() => undefined);
    for (const active of activeRuns.of(run)) active.deliver(request);
  }
}

async function interruptMoved({ database, activeRuns }: RequestDelivery): Promise<void> {
  for (const run of await moveRequests(database, activeRuns.ids).catch(() => [])) {
    for (const active of activeRuns.of(run)) active.interrupt();
  }
}
